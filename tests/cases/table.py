"""Forty cases that break people who train trees on tables, and the tests that hold each of them.

A case whose test has a better place elsewhere points there; the others have theirs in this folder,
in functions named `test_case_07_...`. `test_table` holds that all forty have a test that is there.
"""

from __future__ import annotations

_DATA, _MODEL = "tests/data/", "tests/memory_model/test_structures.py::"
_TRAINERS, _RUNNER = "tests/trainers/", "tests/runner/"

TITLES: dict[int, str] = {
    1: "LightGBM aborts the process on Arrow columns of types that it does not know",
    2: "fork after OpenMP hangs for ever",
    3: "a loky worker is killed",
    4: "deaths under a memory limit differ",
    5: "more than 131,072 leaves",
    6: "depth 30 takes all memory on a small table",
    7: "a Dask worker leaves: an error or a wait without end",
    8: "a child's ru_maxrss shows its parent's peak",
    9: "summed RSS counts a memory map once for each process",
    10: "a peak between two samples of memory is missed",
    11: "a plain DMatrix is a second copy of the data",
    12: "LightGBM's bins double at max_bin 257",
    13: "histograms cost leaves x features x bins",
    14: "sparse data that is made dense does not fit",
    15: "XGBoost trained on CSR and asked to predict on the dense copy",
    16: "inf and 1e300 are refused by some and taken by others",
    17: "more than 2^31 stored entries",
    18: "HistGradientBoosting takes no sparse data",
    19: "column names that a library refuses, and duplicates",
    20: "text columns and categories are refused in unlike ways",
    21: "Arrow-backed and nullable types differ by library",
    22: "datetime, decimal, list, struct and binary columns",
    23: "files of a folder that disagree in their columns",
    24: "the partition column of hive folders is missing",
    25: "an empty folder, an empty file, a truncated file",
    26: "the index of pandas becomes a feature",
    27: "distributed training on data that is sorted by its labels",
    28: "a block that lacks a class",
    29: "labels that only some libraries take, and labels that nothing can be learnt from",
    30: "max_depth alone leaves LightGBM at 31 leaves",
    31: "parameters that are ignored in silence",
    32: "HistGradientBoosting stops early by itself",
    33: "HistGradientBoosting takes 255 bins",
    34: "LightGBM times its two modes within the fit",
    35: "n_jobs=-1 in a container counts the host's cores",
    36: "nested parallelism",
    37: "no room in /dev/shm or the temporary folder, and what stays there",
    38: "perf absent, not permitted, not supported, not counted, multiplexed",
    39: "a gate that measured nothing, or fires on noise",
    40: "a faster model that lost accuracy",
}

ELSEWHERE: dict[int, tuple[str, ...]] = {
    1: (
        _DATA + "test_columns.py::test_what_a_type_is",
        _RUNNER + "test_process.py::test_a_death_is_a_row_with_its_cause",
    ),
    2: (
        "tests/cli/test_main.py::test_a_supervisor_imports_neither_numpy_nor_a_learner",
        _RUNNER + "test_process.py::test_the_deadline_kills_the_whole_tree",
        _RUNNER + "test_process.py::test_a_stopped_worker_meets_its_deadline",
    ),
    3: (
        _TRAINERS + "test_joblib_forest.py::test_a_killed_process_ends_the_fit",
        _RUNNER + "test_verdict.py::test_a_pool_that_lost_a_process",
        "tests/end_to_end/test_processes.py::test_a_killed_process_of_the_pool_is_a_row_that_says_so",
    ),
    4: (
        _RUNNER
        + "test_memory_limit.py::test_what_grows_past_its_limit_is_oom_with_the_peak_so_far",
        _RUNNER + "test_memory_limit.py::test_a_crash_under_a_limit_is_no_oom",
        _RUNNER + "test_verdict.py::test_a_kill_is_oom_only_when_the_kernel_counted_one",
        _RUNNER + "test_verdict.py::test_a_refused_allocation_is_oom",
    ),
    5: (
        _TRAINERS + "test_lightgbm.py::test_131072_is_the_most_leaves_that_lightgbm_takes",
        _TRAINERS + "test_capacity.py::test_lightgbm_has_no_room_for_more_than_131072_leaves",
    ),
    6: (_MODEL + "test_depth_thirty_has_no_more_leaves_than_rows",),
    7: (
        _TRAINERS + "test_dask.py::test_a_worker_that_is_killed_in_fit_is_an_error_at_once",
        "tests/end_to_end/test_dask.py::test_a_killed_worker_is_a_row_and_the_sweep_goes_on",
    ),
    8: (
        _RUNNER + "test_process.py::test_a_fat_supervisor_does_not_leak_into_its_workers_peak",
        "tests/measure/test_selftest.py::test_a_small_child_of_a_large_parent_is_small",
    ),
    9: (
        _RUNNER + "test_memory_kind.py::test_three_processes_that_share_a_file_hold_it_once",
        "tests/measure/test_process_tree.py::test_a_map_that_three_processes_share_counts_once",
    ),
    10: (
        _RUNNER + "test_process.py::test_a_short_spike_is_seen",
        _RUNNER + "test_memory_kind.py::test_a_spike_between_two_readings_is_seen_by_the_kernels_"
        "mark_alone",
    ),
    11: (
        _MODEL + "test_plain_dmatrix_has_eight_bytes_an_entry_and_exact_as_many_sorted",
        _TRAINERS + "test_xgboost.py::test_the_container_is_the_one_asked_for",
    ),
    12: (_MODEL + "test_lightgbm_bins_take_twice_the_bytes_above_256_of_them",),
    13: (
        _MODEL + "test_a_pool_has_a_histogram_for_each_leaf",
        _MODEL + "test_histograms_of_a_node_that_nobody_can_split_are_not_made",
    ),
    14: (
        _DATA + "test_read.py::test_sparse_rows_too_wide_to_be_dense",
        _DATA + "test_onehot.py::test_too_large_to_be_dense_is_refused",
    ),
    15: (
        _TRAINERS + "test_xgboost.py::test_predicting_sparse_data_densely_would_be_another_answer",
        _TRAINERS + "test_every_trainer.py::test_an_absent_entry_is_what_the_trainer_says_it_is",
        "tests/analysis/test_layout_gaps.py::test_a_gap_names_its_cells_and_scores",
    ),
    16: (
        _DATA + "test_import_refused.py::test_infinite_values_alone_are_refused_too",
        _DATA + "test_import.py::test_values_that_do_not_fit_become_missing_on_request",
    ),
    17: (
        _DATA + "test_layouts.py::test_indices_are_int32_until_they_overflow",
        _TRAINERS
        + "test_data_support.py::test_stored_entries_are_judged_where_a_32_bit_index_ends",
        _TRAINERS + "test_sklearn.py::test_64_bit_indices_are_refused_with_a_remedy_or_taken",
    ),
    18: (
        _TRAINERS + "test_support.py::test_hist_gbdt_takes_no_sparse_data",
        _TRAINERS + "test_sklearn.py::test_hist_gbdt_refuses_sparse_data",
    ),
    19: (_DATA + "test_import_refused.py::test_names_that_repeat_are_named",),
    20: (
        _DATA + "test_import.py::test_categories_are_fitted_on_training_rows_alone",
        _TRAINERS + "test_xgboost.py::test_exact_refuses_native_categories",
        _TRAINERS + "test_data_support.py::test_plan_says_what_the_table_says",
    ),
    22: (
        _DATA + "test_import_refused.py::test_all_problems_are_said_together",
        _DATA + "test_import.py::test_times_become_seconds_or_are_left_out",
    ),
    23: (
        _DATA + "test_import_refused.py::test_files_that_disagree_are_listed",
        _DATA + "test_import_refused.py::test_folders_that_disagree_are_listed",
    ),
    24: (
        _DATA + "test_import_files.py::test_hive_folders_become_columns_and_that_is_said",
        _DATA + "test_import_files.py::test_a_hive_column_can_be_the_target",
    ),
    25: (
        _DATA + "test_import_refused.py::test_an_empty_file_and_an_empty_folder_are_named",
        _DATA + "test_import_refused.py::test_damaged_files_are_named",
    ),
    26: (
        _DATA + "test_import.py::test_a_pandas_index_is_left_out_and_that_is_said",
        _DATA + "test_import.py::test_a_column_called_like_an_index_stays_if_pandas_did_not_"
        "write_it",
    ),
    27: (
        _TRAINERS + "test_dask.py::test_sorted_data_is_learned_as_in_one_process",
        _DATA + "test_shards.py::test_each_class_is_spread_to_within_one_row",
    ),
    28: (
        _TRAINERS + "test_dask.py::test_a_shard_without_a_class_is_named",
        _DATA + "test_shards.py::test_a_shard_without_a_class_is_refused_by_name",
    ),
    29: (
        _DATA + "test_import_refused.py::test_labels_that_cannot_be_learnt_are_refused",
        _DATA + "test_import_refused.py::test_a_class_that_training_lacks_is_refused",
    ),
    30: (
        _TRAINERS + "test_capacity.py::test_depth_ten_has_room_for_1024_leaves_in_every_library",
        _TRAINERS + "test_capacity.py::test_lightgbm_left_alone_has_31_leaves_at_any_depth",
    ),
    31: (
        _TRAINERS + "test_xgboost.py::test_exact_ignores_bins_leaves_and_lossguide_in_silence",
        _TRAINERS + "test_support.py::test_exact_drops_max_bin_so_that_its_cells_collapse",
        _TRAINERS + "test_extra.py::test_unknown_names_are_refused_before_any_training",
        _RUNNER + "test_verdict.py::test_a_model_trained_otherwise_than_asked_is_an_error",
    ),
    32: (
        _TRAINERS + "test_sklearn.py::test_early_stopping_is_off_above_ten_thousand_rows",
        _TRAINERS + "test_sklearn.py::test_fewer_rounds_than_asked_for_would_be_a_difference",
    ),
    33: (
        _TRAINERS + "test_sklearn.py::test_hist_gbdt_refuses_256_bins",
        _TRAINERS + "test_support.py::test_what_a_library_cannot_do_is_unsupported",
    ),
    34: (
        _TRAINERS + "test_lightgbm.py::test_the_way_of_building_histograms_is_always_forced",
        _TRAINERS + "test_stages.py::test_a_clock_is_called_once_an_iteration_and_changes_no_byte",
        "tests/analysis/scaling/test_regimes.py::test_a_step_is_described",
    ),
    35: (
        "tests/machine/test_cpus.py::test_the_tightest_quota_above_the_process",
        "tests/machine/test_cpus.py::test_the_smaller_of_affinity_and_quota",
        "tests/plan/test_threads.py::test_more_than_there_are_is_refused_unless_asked_for",
    ),
    37: (
        "tests/machine/test_shared_memory.py::test_what_fits_nowhere_is_told_so",
        _RUNNER + "test_sample_folders.py::test_they_go_with_a_supervisor_that_is_killed",
        "tests/end_to_end/test_processes.py::test_a_killed_supervisor_leaves_no_process_file_or_"
        "semaphore",
    ),
    38: (
        "tests/measure/test_perf_output.py::test_without_perf_every_event_is_missing",
        "tests/measure/test_perf_output.py::test_not_permitted_names_the_setting",
        "tests/measure/test_perf_output.py::test_what_is_not_supported_is_missing_though_it_ran_"
        "for_100_percent",
        "tests/measure/test_perf_output.py::test_what_is_not_counted_is_missing",
        "tests/measure/test_perf_output.py::test_a_multiplexed_counter_keeps_the_share_that_makes_"
        "it_an_estimate",
    ),
    39: (
        "tests/cli/test_nightly.py::test_all_cells_missing_is_exit_code_4",
        "tests/cli/test_compare.py::test_nothing_to_compare_is_exit_code_4",
        "tests/analysis/comparing/test_cells.py::test_a_change_below_the_floor_is_none",
    ),
    40: (
        "tests/analysis/comparing/test_cells.py::test_a_faster_model_that_lost_accuracy_is_worse",
        "tests/cli/test_nightly.py::test_lost_accuracy_is_a_regression",
    ),
}
