//! A cluster in the bench, beside the engines of this machine.

use serde_json::Value;

use super::*;

#[test]
fn a_cluster_counts_as_the_definition_does() {
    let Some(cluster) = Cluster::start() else { return };
    let bench = |args: &str| {
        let mut command = cluster.place.program();
        command.env("CARDIOID_PYTHON", &cluster.python).arg("bench").args(args.split(' '));
        command.args(["--views", "home,deep-seahorse", "--size", "120x90", "--reps", "3"]);
        command
    };
    let mut whole = bench("--engines naive,tiles,dask --json");
    let output = whole.args(["--cluster", &cluster.file()]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("dask is f64,") && told.contains("to start"), "{told}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = |view: usize| report["views"][view]["engines"].as_array().expect("rows of a view").clone();
    let row = |view: usize| rows(view).into_iter().find(|row| row["engine"] == "dask").expect("a row of the cluster");
    assert_eq!(row(0)["differing"], 0, "{}", row(0));
    assert_eq!(row(0)["stride"], 1);
    for view in [0, 1] {
        assert_eq!(row(view)["reason"], Value::Null);
        assert_eq!(row(view)["millis"].as_array().map(Vec::len), Some(3), "{}", row(view));
        assert_eq!(row(view)["threads"], 2);
    }

    let told = ended(bench("--engines dask"), 2);
    assert!(told.contains("--cluster ADDRESS"), "{told}");
}
