//! The client as a library of Python.

use super::*;

/// Python that knows the library, with a script.
fn script(python: &Path, text: &str) -> Command {
    let mut command = Command::new(python);
    command.env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cluster/cardioid_dask"));
    command.env("PYTHONDONTWRITEBYTECODE", "1").arg("-c").arg(text);
    command
}

#[test]
fn python_draws_by_the_same_names() {
    let Some(cluster) = Cluster::start() else { return };
    let mut python = script(&cluster.python, include_str!("library.py"));
    python.arg(env!("CARGO_BIN_EXE_cardioid")).arg(cluster.file()).current_dir(cluster.place.0.path());
    ended(python, 0);
    cluster.place.done("render home --size 96x64 --max-iterations 300 --out one.png");
    assert!(cluster.bytes("one.png") == cluster.bytes("a.png"));
    cluster.place.done("render -0.75+0.1i --height 0.1 --palette glacier --size 96x64 --out two.png");
    assert!(cluster.bytes("two.png") == cluster.bytes("b.png"));
}

#[test]
fn workers_take_no_other_reply_than_theirs() {
    let Some(python) = python() else { return };
    ended(script(&python, include_str!("replies.py")), 0);
}
