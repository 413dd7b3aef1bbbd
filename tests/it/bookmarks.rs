//! Ways back: the history of views, and bookmarks from one run of the program to the next.

use cardioid::app::location::png_location;
use cardioid::app::{Bookmarks, Command, State, Thumbnail};
use cardioid::color::Coloring;
use cardioid::render::Viewport;
use cardioid::view::ParamValue;

use super::navigation::{explorer, pass, rest, zoom};

const SIZE: [u32; 2] = [320, 200];

#[test]
fn five_zooms_back_and_forth_are_exact() {
    let mut state = State::new(SIZE);
    let mut views = vec![state.viewport().clone()];
    for i in 0..5 {
        // Ten notches of a wheel, faster than a burst.
        for _ in 0..10 {
            state.apply(zoom(1.25, [40.0 * f64::from(i) + 7.5, 30.0]));
            state.tick(0.02);
        }
        rest(&mut state);
        views.push(state.viewport().clone());
    }
    assert!(views[5].height().to_f64() < 1e-4, "they lead deep");
    let step = |state: &mut State, command: Command, expected: &Viewport| {
        state.apply(command.clone());
        assert_eq!(state.viewport(), expected, "{command:?}");
    };
    for view in views[..5].iter().rev() {
        step(&mut state, Command::Back, view);
    }
    assert!(!state.can_go_back(), "a burst is one step");
    for view in &views[1..] {
        step(&mut state, Command::Forward, view);
    }
    assert!(!state.can_go_forward());
}

#[test]
fn a_hundred_views_and_more_are_remembered() {
    let mut state = State::new(SIZE);
    let mut views = Vec::new();
    for i in 0..150 {
        views.push(state.viewport().clone());
        state.apply(Command::SetCenter { re: format!("-0.5{i}"), im: "0".into() });
    }
    for view in views.iter().rev() {
        state.apply(Command::Back);
        assert_eq!(state.viewport(), view);
    }
}

/// All that a bookmark brings back.
fn place(state: &State) -> (&'static str, Viewport, Vec<(&'static str, ParamValue)>, &'static str, Coloring) {
    let params = state.view().params().into_iter().map(|param| (param.key, param.value)).collect();
    (state.view().key(), state.viewport().clone(), params, state.palette.key(), state.coloring)
}

fn go(state: &mut State, commands: &[Command]) {
    for command in commands {
        state.apply(command.clone());
        rest(state);
    }
}

fn set(key: &'static str, value: ParamValue) -> Command {
    Command::SetParam { key, value }
}

#[test]
fn bookmarks_lead_back_in_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("cardioid").join("bookmarks");
    let mut explorer = explorer(SIZE, 1);
    explorer.state.load_bookmarks(&folder);
    let deep = "center = [\"-0.743643887037158704752191506114774\", \"0.131825904205311970493132056385139\"]\n\
                height = \"3.25e-28\"\nrotation = 33.25\nmax_iterations = 5000";
    let mut places = Vec::new();
    for commands in [
        vec![Command::GoTo(deep.into()), Command::SetPalette("ember".into()), Command::SetOffset(0.25)],
        vec![Command::Home, Command::AutomaticIterations, zoom(1.37, [11.0, 150.0])],
        vec![Command::SetView("julia"), set("formula", ParamValue::Choice("burning-ship".into()))],
        vec![Command::SetView("bifurcation"), zoom(3.0, [200.0, 100.0]), set("map", ParamValue::Choice("sine".into()))],
        vec![Command::SetView("bifurcation-complex"), Command::DragSection { at_px: [10.0, 30.0] }],
        vec![Command::SetView("bifurcation-3d"), Command::Pan { by_px: [30.0, 40.0] }],
    ] {
        go(&mut explorer.state, &commands);
        places.push(place(&explorer.state));
        explorer.state.apply(Command::AddBookmark);
        explorer.state.apply(Command::SetDensity(1.5));
        pass(&mut explorer);
    }
    for again in 0..2 {
        let mut state = State::new(SIZE);
        state.load_bookmarks(&folder);
        state.apply(Command::MoreIterations);
        for (i, expected) in places.iter().enumerate().rev() {
            go(&mut state, &[Command::GoToBookmark(i + 1)]);
            assert_eq!(&place(&state), expected, "bookmark {i}, time {again}");
        }
        go(&mut state, &[Command::Back]);
        assert_eq!(state.view().key(), places[1].0, "bookmarks are steps of the history, too");
    }
    explorer.state.apply(Command::GoToBookmark(99));
    assert!(explorer.state.notice().unwrap().text.contains("no bookmark 99"));
}

#[test]
fn the_list_is_named_thinned_and_illustrated() {
    let folder = tempfile::tempdir().unwrap();
    let mut explorer = explorer(SIZE, 1);
    explorer.state.load_bookmarks(folder.path());
    for height in ["1", "0.5", "0.25"] {
        go(&mut explorer.state, &[Command::SetHeight(height.into()), Command::AddBookmark]);
    }
    let ids: Vec<u32> = explorer.state.bookmarks().all().iter().map(|b| b.id).collect();
    let pixels = vec![[250, 128, 7, 255]; (SIZE[0] * SIZE[1]) as usize];
    explorer.state.illustrate(ids[1], Thumbnail::of(SIZE, &pixels));
    explorer.state.apply(Command::RenameBookmark { id: ids[1], name: "  west of here ".into() });
    explorer.state.apply(Command::RemoveBookmark(ids[0]));
    pass(&mut explorer);
    let names = |bookmarks: &Bookmarks| bookmarks.all().iter().map(|b| b.location.name.clone()).collect::<Vec<_>>();
    let kept = Bookmarks::load(folder.path());
    assert_eq!(kept.all(), explorer.state.bookmarks().all());
    assert_eq!(names(&kept), [Some("west of here".into()), None]);
    assert_eq!(kept.all()[0].thumbnail.size, [160, 100]);
    assert!(kept.all()[0].thumbnail.pixels.iter().all(|pixel| *pixel == [250, 128, 7, 255]));
    // The program opens such a file as it does all its pictures.
    let file = folder.path().join(format!("{:04}.png", ids[1]));
    assert_eq!(png_location(&file).unwrap(), kept.all()[0].location);

    explorer.state.apply(Command::RestoreBookmark);
    pass(&mut explorer);
    assert_eq!(Bookmarks::load(folder.path()).all().iter().map(|b| b.id).collect::<Vec<_>>(), ids);
    assert!(!explorer.state.bookmarks().can_restore());
}

#[test]
fn a_folder_that_cannot_be_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut explorer = explorer(SIZE, 1);
    explorer.state.load_bookmarks(&file.join("bookmarks"));
    explorer.state.apply(Command::AddBookmark);
    pass(&mut explorer);
    let notice = explorer.state.notice().unwrap();
    assert!(notice.is_error && notice.text.contains("bookmark"), "{}", notice.text);
    explorer.state.apply(Command::Home);
    explorer.state.apply(Command::GoToBookmark(1));
    assert_eq!(explorer.state.bookmarks().all().len(), 1, "it is there until the program ends");
}
