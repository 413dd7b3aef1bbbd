//! The look: dark, calm, one accent. Sizes and colours are named here and nowhere else.

use egui::style::{HandleShape, ScrollStyle, WidgetVisuals};
use egui::{
    Color32, Context, CornerRadius, FontDefinitions, FontFamily, FontId, Frame, Id, Margin, Shadow, Stroke, Style,
    TextStyle, Theme, vec2,
};

/// What is chosen, at work, or drawn with: warm against the cool greys.
pub const ACCENT: Color32 = Color32::from_rgb(0xf2, 0xb8, 0x5c);
/// Behind what is chosen.
pub const ACCENT_DIM: Color32 = Color32::from_rgb(0x4a, 0x3b, 0x22);
pub const TEXT: Color32 = Color32::from_rgb(0xdd, 0xe1, 0xe8);
pub const STRONG: Color32 = Color32::from_rgb(0xfa, 0xfb, 0xfd);
pub const WEAK: Color32 = Color32::from_rgb(0xa2, 0xaa, 0xb8);
/// What is there but cannot be used now.
pub const FAINT: Color32 = Color32::from_rgb(0x76, 0x7e, 0x8c);
pub const GOOD: Color32 = Color32::from_rgb(0x7f, 0xd1, 0x94);
pub const WARN: Color32 = Color32::from_rgb(0xf0, 0xb4, 0x4c);
pub const BAD: Color32 = Color32::from_rgb(0xff, 0x84, 0x7a);

pub const PANEL: Color32 = Color32::from_rgb(0x15, 0x17, 0x1d);
const FIELD: Color32 = Color32::from_rgb(0x0d, 0x0f, 0x13);
const BUTTON: Color32 = Color32::from_rgb(0x25, 0x29, 0x32);
const HOVERED: Color32 = Color32::from_rgb(0x32, 0x37, 0x43);
const PRESSED: Color32 = Color32::from_rgb(0x3e, 0x44, 0x52);
const LINE: Color32 = Color32::from_rgb(0x2d, 0x32, 0x3c);

/// Width of the side panel.
pub const PANEL_WIDTH: f32 = 288.0;
/// Distance of floating parts from the canvas's edges, and from each other.
pub const GAP: f32 = 12.0;

/// Makes the context look like this program, from the next frame on.
pub fn apply(ctx: &Context) {
    ctx.set_fonts(fonts());
    ctx.set_theme(Theme::Dark);
    ctx.style_mut_of(Theme::Dark, restyle);
    ctx.data_mut(|data| data.insert_temp(Id::unique("theme"), Applied));
}

/// True where [`apply`] was called on this context.
pub fn is_applied(ctx: &Context) -> bool {
    ctx.data(|data| data.get_temp::<Applied>(Id::unique("theme")).is_some())
}

#[derive(Clone)]
struct Applied;

/// egui's own fonts; the monospaced one lends its arrows and signs to the other.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let mono = fonts.families.get(&FontFamily::Monospace).cloned().unwrap_or_default();
    let family = fonts.families.entry(FontFamily::Proportional).or_default();
    let lent: Vec<_> = mono.into_iter().filter(|name| !family.contains(name)).collect();
    family.extend(lent);
    fonts
}

fn restyle(style: &mut Style) {
    let text = |size| FontId::new(size, FontFamily::Proportional);
    style.text_styles = [
        (TextStyle::Small, text(11.5)),
        (TextStyle::Body, text(13.5)),
        (TextStyle::Button, text(13.5)),
        (TextStyle::Heading, text(19.0)),
        (TextStyle::Monospace, FontId::new(12.0, FontFamily::Monospace)),
    ]
    .into();
    style.animation_time = 0.08;
    // Labels lie over the picture: the mouse goes through them.
    style.interaction.selectable_labels = false;
    style.interaction.tooltip_delay = 0.35;
    space(style);
    color(style);
}

fn space(style: &mut Style) {
    let spacing = &mut style.spacing;
    spacing.item_spacing = vec2(8.0, 5.0);
    spacing.button_padding = vec2(9.0, 3.0);
    spacing.interact_size = vec2(36.0, 24.0);
    spacing.window_margin = Margin::same(16);
    spacing.menu_margin = Margin::same(6);
    spacing.icon_width = 16.0;
    spacing.icon_width_inner = 9.0;
    spacing.slider_rail_height = 4.0;
    spacing.tooltip_width = 320.0;
    spacing.scroll = ScrollStyle { floating_allocated_width: 0.0, ..ScrollStyle::thin() };
}

fn color(style: &mut Style) {
    let visuals = &mut style.visuals;
    visuals.panel_fill = PANEL;
    visuals.window_fill = PANEL;
    visuals.window_stroke = Stroke::new(1.0, LINE);
    visuals.window_corner_radius = CornerRadius::same(10);
    visuals.menu_corner_radius = CornerRadius::same(8);
    visuals.window_shadow = shadow();
    visuals.popup_shadow = shadow();
    visuals.window_highlight_topmost = false;
    visuals.extreme_bg_color = FIELD;
    visuals.faint_bg_color = BUTTON.gamma_multiply(0.4);
    visuals.weak_text_color = Some(WEAK);
    visuals.warn_fg_color = WARN;
    visuals.error_fg_color = BAD;
    visuals.hyperlink_color = ACCENT;
    visuals.selection.bg_fill = ACCENT_DIM;
    visuals.selection.stroke = Stroke::new(1.0, ACCENT);
    visuals.text_cursor.stroke = Stroke::new(1.5, ACCENT);
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = HandleShape::Circle;

    let widgets = &mut visuals.widgets;
    widgets.noninteractive = widget(PANEL, LINE, TEXT);
    widgets.inactive = widget(BUTTON, Color32::TRANSPARENT, TEXT);
    widgets.hovered = widget(HOVERED, Color32::TRANSPARENT, STRONG);
    widgets.active = widget(PRESSED, ACCENT, STRONG);
    widgets.open = widget(HOVERED, Color32::TRANSPARENT, STRONG);
}

fn widget(fill: Color32, outline: Color32, text: Color32) -> WidgetVisuals {
    WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, outline),
        corner_radius: CornerRadius::same(5),
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    }
}

fn shadow() -> Shadow {
    Shadow { offset: [0, 4], blur: 18, spread: 0, color: Color32::from_black_alpha(120) }
}

/// Beside what a floating part holds.
pub const FLOATING_MARGIN: f32 = 12.0;

/// The side panel's frame.
pub fn panel() -> Frame {
    Frame::new().fill(PANEL)
}

/// Floats on the picture, and lets a hint of it through: dark enough to be read on white.
pub fn floating() -> Frame {
    Frame::new()
        .fill(Color32::from_rgba_unmultiplied(0x0f, 0x11, 0x16, 0xec))
        .stroke(Stroke::new(1.0, Color32::from_white_alpha(22)))
        .corner_radius(8)
        .inner_margin(Margin::symmetric(FLOATING_MARGIN as i8, 9))
}

/// A dialog: opaque, for it is read closely.
pub fn dialog(style: &Style) -> Frame {
    Frame::window(style)
}

/// The cap of a key.
pub fn key_cap() -> Frame {
    Frame::new().fill(BUTTON).stroke(Stroke::new(1.0, PRESSED)).corner_radius(4).inner_margin(Margin::symmetric(5, 1))
}

/// The line between sections.
pub fn hairline() -> Stroke {
    Stroke::new(1.0, LINE)
}
