"""The planted faults: which program has it, which rules may name it, and the what-if that supposes its fix."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Case:
    program: str         # programs/NAME.py
    rules: tuple         # ids of the rules that name the fault truly; none: Opsight has no rule for it
    suppose: tuple = ()  # of opsight whatif: what the fix comes to, where the command can say it


IN_PYTHON = ("program", "outside")
NO_LOADING = ("--remove", "dataloader")

CASES = (
    Case("loader_in_process", ("data_loading",), NO_LOADING),
    Case("loader_one_worker", ("data_loading",), NO_LOADING),
    Case("loader_decoding", ("data_loading",), NO_LOADING),
    Case("loader_single_samples", ("data_loading",), NO_LOADING),
    Case("loader_restarts", ("data_loading",) + IN_PYTHON),
    Case("augment_between_ops", IN_PYTHON),
    Case("metrics_in_python", IN_PYTHON),
    Case("log_to_disk", ("file_io",) + IN_PYTHON),
    Case("checkpoint_each_step", ("file_io",) + IN_PYTHON),
    Case("command_each_step", IN_PYTHON),
    Case("collect_garbage", IN_PYTHON),
    Case("copied_averages", IN_PYTHON),
    Case("tensors_from_lists", IN_PYTHON),
    Case("scripts_each_step", ("compilation",) + IN_PYTHON),
    Case("anomaly_mode", ("anomaly_mode",), ("--scale", "op:aten::isnan=0", "--scale", "op:aten::any=0")),
    Case("item_for_each_sample", ("scalar_reads",), ("--scale", "op:aten::item=0", "--scale", "op:aten::unbind=0")),
    Case("loop_over_rows", ("repeated_ops",)),
    Case("optimizer_by_tensor", ("optimizer_loop",)),
    Case("gelu_by_hand", ("elementwise_chains",)),
    Case("norm_by_hand", ("elementwise_chains",)),
    Case("double_precision", ("double_precision",)),
    Case("casts_back_and_forth", ("dtype_conversions", "double_precision"), ("--scale", "op:aten::to=0")),
    Case("layout_back_and_forth", ("contiguous_copies", "layout_conversions"), ("--scale", "op:aten::contiguous=0")),
    Case("growing_by_cat", ("growing_tensors",), ("--scale", "op:aten::cat=0")),
    Case("mkldnn_off", ("plain_convolutions",)),
    Case("too_many_threads", ("thread_count",)),
    Case("recomputation", ("recomputation",)),
    Case("dense_gradient", ("dense_gradients",)),
    Case("slow_rank", ("host_communication", "outside")),  # the slow rank itself sleeps
    Case("exchange_by_tensor", ("host_communication",)),
)
