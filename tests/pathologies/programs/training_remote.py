"""Pictures that take a while to come, as from a disk over the network, and the workers that read them ahead."""
import time

from torch.utils.data import DataLoader, Dataset
import training


class Remote(Dataset):
    def __init__(self, length, wait_ms):
        self.length, self.wait_ms = length, wait_ms
        self.pictures, self.labels = training.pictures()

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        time.sleep(self.wait_ms / 1000)
        index %= training.BATCH
        return self.pictures[index], self.labels[index]


def run(description, wait_ms, workers):
    """workers: by whether the program is fixed."""
    chosen = training.options(description)
    data = Remote(training.BATCH * (training.WARM + chosen.iterations), wait_ms)
    loader = DataLoader(data, training.BATCH, num_workers=workers(chosen.fixed))
    training.train(loader, training.Trainer(training.network(64)).step, clock=time.perf_counter)
