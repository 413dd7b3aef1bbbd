//! The race over the views that settle, and the map of tiles.

use std::time::{Duration, Instant};

use cardioid::app::{Command, Effect, Format, OverlayMode, Table, TileMap};
use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{App, asked, harness, settle, snapshot};

/// Runs frames until something holds.
fn until(harness: &mut Harness<'static, App>, what: &str, holds: impl Fn(&App) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds(harness.state()) {
        assert!(Instant::now() < deadline, "{what} never comes");
        harness.step();
        std::thread::sleep(Duration::from_millis(2));
    }
    harness.step();
}

#[test]
fn a_race_runs_on_each_view_that_settles_and_keeps_what_it_saw() {
    let mut harness = harness([612.0, 600.0]);
    harness.state_mut().explorer.state.apply(Command::TogglePanels);
    harness.state_mut().explorer.state.apply(Command::SetOverlay(OverlayMode::Full));
    harness.key_press_modifiers(Modifiers::SHIFT, Key::R);
    harness.step();
    harness.step();
    assert_eq!(std::mem::take(&mut harness.state_mut().asked), [Command::ToggleRace]);
    assert_eq!(harness.state().explorer.state.overlay, OverlayMode::Compact, "the full table makes room");
    until(&mut harness, "the first view", |app| app.explorer.race.legs().len() == 1);
    harness.state_mut().explorer.state.apply(Command::GoTo("-1.25, 0.02".into()));
    until(&mut harness, "the second view", |app| app.explorer.race.legs().len() == 2);
    let explorer = &harness.state().explorer;
    for key in ["naive", "symmetric", "simd", "threads", "tiles"] {
        let standing = explorer.race.standing(key).unwrap();
        assert_eq!(standing.views, 2, "{key}");
        assert!(standing.best >= standing.mean, "{key}");
    }
    assert_eq!(explorer.race.baselines(), [("naive", 2)]);
    harness.step();
    for text in ["× over naive on 2 views", "this view is done: move on", "not for this view"] {
        assert!(harness.query_all_by_label_contains(text).next().is_some(), "{text:?} is missing");
    }
    let whole = harness.state().canvas;
    for node in harness.query_all_by_label_contains("") {
        assert!(whole.expand(0.5).contains_rect(node.rect()), "{:?} is cut", node.accesskit_node().label());
    }
    let state = &mut harness.state_mut().explorer.state;
    state.apply(Command::CopyTable { table: Table::Race, format: Format::Csv });
    let effects = harness.state_mut().explorer.frame();
    let [Effect::Copy(text)] = &effects[..] else { panic!("{effects:?}") };
    assert!(
        text.starts_with("view,engine,median_ms,speed_up,over,verdict,samples,views\nbest of 2 views,naive,"),
        "{text}"
    );
    harness.state_mut().explorer.state.apply(Command::ToggleRace);
    harness.run();
    assert_eq!(harness.state().explorer.race.legs().len(), 2, "what was seen is kept");
}

#[test]
fn a_race_gives_way_to_a_hand_and_goes_on_later() {
    let mut harness = harness([1000.0, 700.0]);
    harness.state_mut().explorer.state.apply(Command::ToggleRace);
    until(&mut harness, "the race", |app| app.explorer.race.progress().is_some_and(|(engine, _)| !engine.is_empty()));
    harness.state().explorer.give_way();
    let asked_at = Instant::now();
    until(&mut harness, "the end", |app| app.explorer.race.progress().is_none_or(|(engine, _)| engine.is_empty()));
    assert!(asked_at.elapsed() < Duration::from_millis(200), "took {:?}", asked_at.elapsed());
    until(&mut harness, "the race again", |app| app.explorer.race.legs().len() == 1);
}

#[test]
fn the_map_of_tiles_goes_from_off_to_live_to_heat_and_off() {
    let mut harness = harness([1000.0, 700.0]);
    settle(&mut harness, 1);
    let seen = |harness: &Harness<'static, App>, text: &str| harness.query_all_by_label_contains(text).next().is_some();
    for (map, legend) in [(TileMap::Live, "thread 0:"), (TileMap::Heat, "ms a tile, log scale"), (TileMap::Off, "")] {
        harness.key_press(Key::T);
        harness.step();
        harness.step();
        assert_eq!(std::mem::take(&mut harness.state_mut().asked), [Command::NextTileMap]);
        assert_eq!(harness.state().explorer.state.tile_map, map);
        until(&mut harness, "the picture", |app| app.explorer.upper.status.settled);
        harness.step();
        assert!(map == TileMap::Off || seen(&harness, legend), "{map:?}");
    }
    assert!(harness.state().explorer.upper.board().trace().done().is_empty(), "nothing is noted any more");
    harness.key_press_modifiers(Modifiers::SHIFT, Key::X);
    let look = Command::Look(cardioid::render::SpaceAxis::Z);
    assert_eq!(asked(&mut harness), [look], "the look from above has another key");
}

#[test]
fn picture_of_the_heat_of_tiles() {
    let mut harness = super::still([900.0, 600.0], |explorer| {
        explorer.state.apply(Command::SetOverlay(OverlayMode::Off));
        explorer.state.apply(Command::Resize { size: [900, 600] });
        explorer.state.apply(Command::SetTileMap(TileMap::Heat));
        let viewport = explorer.state.viewport().clone();
        let mut trace = explorer.upper.board().trace();
        (trace.viewport, trace.engine) = (Some(viewport), "tiles");
        for (i, tile) in cardioid::render::Tile::outwards([900, 600], 32, [450.0, 300.0]).into_iter().enumerate() {
            let took = Duration::from_micros(20 + (i as u64 * i as u64) / 4);
            trace.add(cardioid::app::Worked { tile, worker: i % 4, took });
        }
    });
    snapshot(&mut harness, "tiles_heat");
    harness.state_mut().explorer.state.apply(Command::SetTileMap(TileMap::Live));
    {
        let mut trace = harness.state().explorer.upper.board().trace();
        let done = trace.done();
        trace.busy.extend((0..4).map(|worker| (done[8 * worker].tile, worker)));
    }
    harness.run();
    snapshot(&mut harness, "tiles_live");
}
