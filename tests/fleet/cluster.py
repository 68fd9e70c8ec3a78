"""A ClickHouse cluster on loopback for tests: three nodes of Debian's package, two shards, ZooKeeper.

Shard 1 has two replicas (nodes 0 and 1), shard 2 has one (node 2): so a test can kill a node that another one stands in
for, and one that nobody stands in for. Everything lies in one temporary folder and is bounded for a small machine.
"""

import concurrent.futures
import ctypes
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from xml.sax.saxutils import escape

SERVER = shutil.which("clickhouse-server", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
JAVA = shutil.which("java")
# What Debian's zookeeper.jar needs to run alone.
JARS = "zookeeper zookeeper-jute slf4j-api slf4j-nop netty-all metrics-core snappy-java commons-cli commons-io".split()
JAR_FOLDER = pathlib.Path("/usr/share/java")
PLACES = [(1, "a"), (1, "b"), (2, "a")]  # shard and replica of each node
START_SECONDS = 180
DATABASE = "fleet"
ADMIN, WRITER, READER = "admin", "writer", "reader"
PASSWORDS = {ADMIN: "of the admin", WRITER: "of the writer", READER: "of the reader"}


def missing():
    """What of the machine a cluster lacks, as a sentence; None where all is there."""
    if not SERVER:
        return "there is no clickhouse-server (Debian's package clickhouse-server)"
    if not JAVA or not (JAR_FOLDER / "zookeeper.jar").exists():
        return "there is no ZooKeeper (Debian's packages libzookeeper-java and openjdk-17-jre-headless)"
    return None


# Below those that the kernel gives to whoever asks for any: a node that was killed finds its own free again. Above those
# that viewers of other tests begin at.
FIRST_PORT, LAST_PORT = 12000, 30000


def free_ports(count):
    """`count` ports that are free now and that nobody gets by chance: all are held until the last is found."""
    sockets = []
    for port in random.sample(range(FIRST_PORT, LAST_PORT), LAST_PORT - FIRST_PORT):
        if len(sockets) == count:
            break
        try:
            sockets.append(socket.create_server(("127.0.0.1", port)))
        except OSError:
            continue
    if len(sockets) < count:
        raise RuntimeError(f"there are no {count} free ports from {FIRST_PORT} to {LAST_PORT}")
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


# Of some thousand small files each a disk may take half a minute to remove them.
MEMORY = pathlib.Path("/dev/shm")
ROOM_BYTES = 2 << 30  # the largest cluster of the tests has 0.5 GB


def folder_for_data():
    """A new folder: in memory where there is room, else where temporary files are."""
    parent = MEMORY if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM_BYTES else None
    for left in MEMORY.glob("opsight-clickhouse.*.*"):  # by tests that were killed
        if not pathlib.Path("/proc", left.name.split(".")[1]).exists():
            shutil.rmtree(left, ignore_errors=True)
    return pathlib.Path(tempfile.mkdtemp(prefix=f"opsight-clickhouse.{os.getpid()}.", dir=parent))


# A server ends with the thread that started it (PR_SET_PDEATHSIG), so one thread starts all and lives as long as the
# tests do: whatever kills them, no server stays.
_STARTER = concurrent.futures.ThreadPoolExecutor(1)
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def _die_with_parent():
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """A server of the cluster: started, killed and started again on the same folder and ports."""

    def __init__(self, command, folder):
        self.command, self.folder, self.log = command, folder, folder / "output.log"
        self.process = None

    def start(self):
        _STARTER.submit(self._start).result()

    def _start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_die_with_parent,
                restore_signals=False,  # SIGXFSZ stays ignored: a limit of sizes of files is a full disk
            )

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def check_alive(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.command[0]} ended with {self.process.returncode}: {self.log.read_text()[-4000:]}")


class ZooKeeper(Process):
    def __init__(self, folder, port):
        folder.mkdir()
        self.port = port
        (folder / "zoo.cfg").write_text(
            f"dataDir={folder}/data\nclientPort={port}\nclientPortAddress=127.0.0.1\ntickTime=1000\n"
            "admin.enableServer=false\nforceSync=no\nmaxClientCnxns=0\n"
        )
        path = ":".join(str(JAR_FOLDER / f"{jar}.jar") for jar in JARS)
        # Of a small machine: no compiler that optimizes, one collector, a small heap.
        flags = ["-Xmx96m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]
        main = "org.apache.zookeeper.server.ZooKeeperServerMain"
        super().__init__([JAVA, *flags, "-cp", path, main, str(folder / "zoo.cfg")], folder)


class Node(Process):
    def __init__(self, folder, place, ports):
        folder.mkdir()
        self.shard, self.replica = place
        self.http, self.tcp, self.interserver, self.https = ports
        super().__init__([SERVER, f"--config-file={folder}/config.xml"], folder)

    def ask(self, sql, user=ADMIN, data=None, **settings):
        """The answer as text; raises RuntimeError with the server's words."""
        parameters = {"query": sql, **settings}
        headers = {"X-ClickHouse-User": user, "X-ClickHouse-Key": PASSWORDS[user]}
        url = f"http://127.0.0.1:{self.http}/?{urllib.parse.urlencode(parameters)}"
        request = urllib.request.Request(url, data=data or b"", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def answers(self, zookeeper):
        """Whether it answers, and has its connection to ZooKeeper."""
        try:
            return self.ask("SELECT count() FROM system.zookeeper WHERE path = '/'" if zookeeper else "SELECT 1") != ""
        except (OSError, RuntimeError):
            return False


class Cluster:
    """`with Cluster() as cluster`: cluster.nodes, cluster.url, cluster.kill(index), cluster.start(index)."""

    def __init__(self, nodes=len(PLACES), zookeeper=True, tls=False):
        self.folder = folder_for_data()
        self.certificate = self._make_certificate() if tls else None
        ports = free_ports(4 * nodes + 1)
        self.zookeeper = ZooKeeper(self.folder / "zookeeper", ports.pop()) if zookeeper else None
        self.nodes = [
            Node(self.folder / f"node{index}", PLACES[index], ports[4 * index : 4 * index + 4]) for index in range(nodes)
        ]
        for node in self.nodes:
            (node.folder / "config.xml").write_text(self._config(node))
            (node.folder / "users.xml").write_text(USERS)

    def __enter__(self):
        try:
            if self.zookeeper:
                self.zookeeper.start()
            for node in self.nodes:
                node.start()
            self.wait()
            for node in self.nodes:
                node.ask(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        for each in [*self.nodes, *([self.zookeeper] if self.zookeeper else [])]:
            each.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self, index):
        self.nodes[index].kill()

    def start(self, index):
        self.nodes[index].start()
        self.wait()

    def wait(self):
        """Until all nodes that run answer."""
        end = time.monotonic() + START_SECONDS
        for node in self.nodes:
            while node.process and not node.answers(self.zookeeper):
                node.check_alive()
                if time.monotonic() > end:
                    raise RuntimeError(f"{node.folder.name} does not answer: {node.log.read_text()[-4000:]}")
                time.sleep(0.05)

    @property
    def url(self):
        return "clickhouse://" + ",".join(f"127.0.0.1:{node.http}" for node in self.nodes) + f"/{DATABASE}"

    def _make_certificate(self):
        """Of localhost, signed by itself: whom a client has to be told to trust."""
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, "-keyout", key, "-out"]
            + [certificate],
            check=True,
            capture_output=True,
        )
        return certificate

    def _config(self, node):
        shards = {}
        for other in self.nodes:
            shards.setdefault(other.shard, []).append(
                f"<replica><host>127.0.0.1</host><port>{other.tcp}</port>"
                f"<user>{ADMIN}</user><password>{escape(PASSWORDS[ADMIN])}</password></replica>"
            )
        places = "".join(
            f"<shard><internal_replication>true</internal_replication>{''.join(replicas)}</shard>"
            for replicas in shards.values()
        )
        zookeeper = (
            f"<zookeeper><node><host>127.0.0.1</host><port>{self.zookeeper.port}</port></node>"
            "<session_timeout_ms>6000</session_timeout_ms></zookeeper>"
            if self.zookeeper
            else ""
        )
        tls = (
            f"<https_port>{node.https}</https_port><openSSL><server>"
            f"<certificateFile>{self.certificate}</certificateFile>"
            f"<privateKeyFile>{self.folder}/key.pem</privateKeyFile><verificationMode>none</verificationMode>"
            "<disableProtocols>sslv2,sslv3</disableProtocols></server></openSSL>"
            if self.certificate
            else ""
        )
        remote = f"<remote_servers><opsight>{places}</opsight></remote_servers>" if len(self.nodes) > 1 else ""
        return CONFIG.format(node=node, remote=remote, zookeeper=zookeeper, tls=tls)


CONFIG = """<?xml version="1.0"?>
<yandex>
    <logger><level>warning</level><console>1</console></logger>
    <listen_host>127.0.0.1</listen_host>
    <http_port>{node.http}</http_port>
    <tcp_port>{node.tcp}</tcp_port>
    <interserver_http_port>{node.interserver}</interserver_http_port>
    <interserver_http_host>127.0.0.1</interserver_http_host>
    <path>{node.folder}/data/</path>
    <tmp_path>{node.folder}/tmp/</tmp_path>
    <users_config>{node.folder}/users.xml</users_config>
    <default_profile>default</default_profile>
    <default_database>default</default_database>
    <max_concurrent_queries>50</max_concurrent_queries>
    <max_connections>200</max_connections>
    <keep_alive_timeout>10</keep_alive_timeout>
    <uncompressed_cache_size>0</uncompressed_cache_size>
    <mark_cache_size>33554432</mark_cache_size>
    <builtin_dictionaries_reload_interval>3600</builtin_dictionaries_reload_interval>
    <macros><shard>{node.shard}</shard><replica>{node.replica}</replica></macros>
    {zookeeper}
    {remote}
    {tls}
</yandex>
"""


def _user(name):
    return (
        f"<{name}><password>{escape(PASSWORDS[name])}</password>"
        f"<profile>{'readonly' if name == READER else 'default'}</profile><quota>default</quota>"
        "<networks><ip>127.0.0.1</ip></networks>"
        f"<allow_databases><database>{DATABASE}</database><database>system</database>"
        f"{'<database>default</database>' if name == ADMIN else ''}</allow_databases></{name}>"
    )


USERS = f"""<?xml version="1.0"?>
<yandex>
    <profiles>
        <default>
            <max_threads>2</max_threads>
            <max_memory_usage>1500000000</max_memory_usage>
            <background_pool_size>2</background_pool_size>
            <background_schedule_pool_size>2</background_schedule_pool_size>
        </default>
        <readonly><readonly>2</readonly><max_threads>2</max_threads></readonly>
    </profiles>
    <users>{"".join(_user(name) for name in PASSWORDS)}</users>
    <quotas><default/></quotas>
</yandex>
"""
