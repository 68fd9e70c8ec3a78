#!/usr/bin/env python3
"""The two kinds of stores give the same answers, and a ClickHouse cluster loses nothing: not to killed clients, nor to
killed nodes, broken connections or full disks."""

import os
import pathlib
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import cluster

BIN = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin"))
PROBE = BIN / "store_probe"
QUESTIONS = pathlib.Path(__file__).parents[2] / "src/fleet/questions/sql"
# So large that a push sends blocks of iteration_ops before its end.
LARGE = ["--ranks", "8", "--iterations", "10", "--names", "4000"]
COUNT = "SELECT count(*) AS rows_count, sum(calls) AS total_calls FROM {{%s}} WHERE run = $run"


def environment(user=cluster.WRITER, **more):
    names = {"OPSIGHT_CLICKHOUSE_USER": user, "OPSIGHT_CLICKHOUSE_PASSWORD": cluster.PASSWORDS.get(user, "wrong")}
    return {**os.environ, **names, **more}


def probe(*words, text="", user=cluster.WRITER, env=None):
    """What store_probe prints: (exit code, output, errors)."""
    done = subprocess.run(
        [PROBE, *map(str, words)],
        input=text,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=env or environment(user),
    )
    return done.returncode, done.stdout, done.stderr


def same(first, second):
    """Answers are equal: texts and whole numbers exactly, reals but for the order in which they were added."""
    rows = [[line.split("\t") for line in each.splitlines()] for each in (first, second)]
    if [len(row) for row in rows[0]] != [len(row) for row in rows[1]]:
        return False
    for a, b in zip(sum(rows[0], []), sum(rows[1], [])):
        if a != b and not close(a, b):
            return False
    return True


def close(a, b):
    try:
        return abs(float(a) - float(b)) <= 1e-9 * max(abs(float(a)), abs(float(b)))
    except ValueError:
        return False


class Proxy:
    """Stands between a client and a node: cuts a connection after so many bytes, as often as is told."""

    def __init__(self, port, cuts, after):
        self.port, self.cuts, self.after = port, cuts, after
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = self.server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self.server.close()

    def _serve(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client):
        with client, socket.create_connection(("127.0.0.1", self.port)) as node:
            back = threading.Thread(target=self._copy, args=(node, client, None), daemon=True)
            back.start()
            self._copy(client, node, self.after)
            back.join()

    def _copy(self, source, target, most):
        sent = 0
        try:
            while data := source.recv(65536):
                sent += len(data)
                if most and sent > most and self.cuts > 0:
                    self.cuts -= 1
                    break
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


# Of each test by itself, so that all are counted as skipped.
WITH_SERVERS = unittest.skipIf(cluster.missing(), f"NO CLUSTER IS TESTED: {cluster.missing()}")


@WITH_SERVERS
class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="opsight-stores.")
        cls.embedded = cls.folder.name + "/store"
        cls.cluster = cluster.Cluster()
        cls.cluster.__enter__()
        cls.runs = 0

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()
        cls.folder.cleanup()

    def new_run(self):
        type(self).runs += 1
        return self.runs

    def url(self, **options):
        more = "&".join(f"{key}={value}" for key, value in options.items())
        return self.cluster.url + ("?" + more if more else "")

    def push(self, store, run, *more, **options):
        code, output, errors = probe("push", store, "--run", run, *more, **options)
        self.assertEqual((code, errors), (0, ""), output)
        return output

    def ask(self, question, run=None, store=None, notes=False, user=cluster.READER):
        words = ["--run", run] if run else []
        code, output, errors = probe("ask", store or self.url(timeout=20), *words, text=question, user=user)
        self.assertEqual(code, 0, errors)
        if notes:
            return output, errors
        self.assertEqual(errors, "")
        return output

    def assert_same_answers(self, run):
        """Of the run, in both stores; embedded has it already."""
        for table in ("iteration_ops", "rank_ops", "ops", "iteration_collectives", "layers"):
            question = COUNT % table
            self.assertEqual(self.ask(question, run, self.embedded), self.ask(question, run), table)

    def is_seen(self, run):
        return self.ask("SELECT count(*) AS n FROM {{runs}} WHERE run = $run", run).splitlines()[1] == "1\t"

    def start_and_pause(self, run, after, store, *more):
        process = subprocess.Popen(
            [PROBE, "push", store, "--run", str(run), *more, "--pause-after", str(after)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.assertEqual(process.stdout.readline(), "paused\n", "it ended early")
        return process

    def go_on(self, process):
        output, errors = process.communicate("\n", timeout=300)
        return process.returncode, output, errors


class SameAnswers(Case):
    def test_all_questions(self):
        for run, ranks in ((101, 4), (102, 1), (103, 7)):
            for store in (self.embedded, self.url()):
                self.push(store, run, "--ranks", ranks)
        # Other facts of a run take the place of the first ones.
        for store in (self.embedded, self.url()):
            self.push(store, 102, "--push", 5)
        questions = {path.stem: path.read_text() for path in sorted(QUESTIONS.glob("*.sql"))}
        self.assertGreater(len(questions), 10)
        for name, text in questions.items():
            for chosen in ("run <> ''", "run IN ('%s')" % run_id(103)):
                question = text.replace("{{chosen}}", chosen).replace("{{limit}}", "LIMIT 15").replace("$by", "''")
                with self.subTest(question=name, chosen=chosen):
                    answers = [self.ask(question, store=store) for store in (self.embedded, self.url())]
                    self.assertTrue(same(*answers), "\n".join(answers))
                    if "NOT NULL" not in text:  # of one run that may be none
                        self.assertGreater(len(answers[0].splitlines()), 1, "no rows")

    def test_every_table_and_column(self):
        for store in (self.embedded, self.url()):
            self.push(store, 111, "--ranks", 3)
        tables = {}
        for line in self.cluster.nodes[0].ask(
            f"SELECT table, name FROM system.columns WHERE database = '{cluster.DATABASE}' AND table LIKE '%_rows' "
            "AND table NOT IN ('staged_rows', 'commits_rows') AND name <> 'block'"
        ).splitlines():
            table, column = line.split("\t")
            tables.setdefault(table.removesuffix("_rows"), []).append(column)
        self.assertGreater(len(tables), 15)
        for table, columns in tables.items():
            names = ", ".join(columns)
            question = f"SELECT {names} FROM {{{{{table}}}}} WHERE run = $run ORDER BY {names} LIMIT 50"
            with self.subTest(table=table):
                answers = [self.ask(question, 111, store) for store in (self.embedded, self.url())]
                self.assertEqual(*answers)
                self.assertGreater(len(answers[0].splitlines()), 1)

    def test_free_sql(self):
        self.push(self.url(), 121)
        code, output, errors = probe(
            "sql", self.url(), text="SELECT op, sum(calls) AS n FROM ops GROUP BY op ORDER BY op LIMIT 2", user=cluster.READER
        )
        self.assertEqual((code, errors, len(output.splitlines())), (0, "", 3))
        for bad in (
            "DROP TABLE fleet.ops_rows",
            "SELECT * FROM fleet.ops_rows",
            "SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')",
            "SELECT * FROM ops WHERE op IN fleet.ops_rows",
            "SELECT 1) UNION ALL (SELECT 2",
            "SELECT 1; SELECT 2",
            "SELECT * FROM ops INTO OUTFILE 'rows.tsv'",
        ):
            with self.subTest(sql=bad):
                code, output, errors = probe("sql", self.url(), text=bad, user=cluster.READER)
                self.assertEqual((code, output), (2, ""))
                self.assertIn("the statement", errors)


def run_id(number):
    return f"{number * 0x9E3779B97F4A7C15 % 2**64:032x}"


class NothingLost(Case):
    def test_twice_is_once(self):
        run = self.new_run()
        self.push(self.embedded, run)
        self.assertIn("staged", self.push(self.url(), run))
        self.assertEqual(self.push(self.url(), run), "is there already\n")
        self.assert_same_answers(run)

    def test_two_clients_at_once(self):
        run = self.new_run()
        self.push(self.embedded, run)
        first = self.start_and_pause(run, 10, self.url())
        self.push(self.url(), run)
        self.assertEqual(self.go_on(first)[0], 0)
        self.assert_same_answers(run)

    def test_killed_client(self):
        run = self.new_run()
        self.push(self.embedded, run, *LARGE)
        parts = int(self.push(self.url(), self.new_run()).split()[1])
        process = self.start_and_pause(run, parts - 5, self.url(), *LARGE)
        process.kill()
        process.wait()
        self.assertFalse(self.is_seen(run))
        staged, skipped = map(int, self.push(self.url(), run, *LARGE).split()[1::2])
        self.assertGreater(skipped, 0, "it began anew")
        self.assertGreater(staged, 0)
        self.assert_same_answers(run)

    def test_killed_replica_in_the_middle(self):
        run = self.new_run()
        self.push(self.embedded, run, *LARGE)
        process = self.start_and_pause(run, 25, self.url(timeout=20), *LARGE)
        self.cluster.kill(0)
        try:
            code, output, errors = self.go_on(process)
            self.assertEqual((code, errors), (0, ""), output)
            self.assert_same_answers(run)
        finally:
            self.cluster.start(0)
        # The node that was dead gets what it missed from the other, which therefore must live till then.
        self.wait_for_queue(self.cluster.nodes[0])
        self.cluster.kill(1)
        try:
            self.wait_for_copies(run)
            self.assert_same_answers(run)
        finally:
            self.cluster.start(1)

    def wait_for_queue(self, node):
        end = time.monotonic() + 60
        # Merges are no rows that it lacks, and of large parts they may wait for good.
        behind = "SELECT count() FROM system.replicas WHERE is_readonly OR log_pointer <= log_max_index"
        lacking = "SELECT count() FROM system.replication_queue WHERE type NOT IN ('MERGE_PARTS', 'MUTATE_PART')"
        while node.ask(behind) != "0\n" or node.ask(lacking) != "0\n":
            self.assertLess(time.monotonic(), end, "the node does not catch up")
            time.sleep(0.2)

    def wait_for_copies(self, run):
        end = time.monotonic() + 30
        while not self.is_answered(run) and time.monotonic() < end:
            time.sleep(0.2)

    def is_answered(self, run):
        code, _, errors = probe("ask", self.url(timeout=5), "--run", run, text=COUNT % "iteration_ops")
        return code == 0 and not errors

    def test_killed_only_node_in_the_middle(self):
        run = self.new_run()
        self.push(self.embedded, run, *LARGE)
        process = self.start_and_pause(run, 25, self.url(timeout=2), *LARGE)
        self.cluster.kill(2)
        try:
            code, _, errors = self.go_on(process)
        finally:
            self.cluster.start(2)
        self.assertEqual(code, 1)
        self.assertIn("shard 2", errors)
        self.assertIn("push again when it is back", errors)
        self.assertFalse(self.is_seen(run))
        self.push(self.url(timeout=20), run, *LARGE)
        self.assert_same_answers(run)

    def test_node_that_comes_back_in_time(self):
        run = self.new_run()
        self.push(self.embedded, run)
        process = self.start_and_pause(run, 20, self.url(timeout=60))
        self.cluster.kill(2)
        timer = threading.Timer(1, self.cluster.start, [2])
        timer.start()
        code, output, errors = self.go_on(process)
        timer.join()
        self.assertEqual((code, errors), (0, ""), output)
        self.assert_same_answers(run)

    def test_broken_connections(self):
        run = self.new_run()
        self.push(self.embedded, run)
        proxies = [Proxy(node.http, cuts=3, after=3000) for node in self.cluster.nodes]
        hosts = ",".join(f"127.0.0.1:{each.address}" for each in proxies)
        self.push(f"clickhouse://{hosts}/{cluster.DATABASE}", run)
        self.assertTrue(all(each.cuts == 0 for each in proxies), "nothing was cut")
        for each in proxies:
            each.close()
        self.assert_same_answers(run)

    def test_full_disk(self):
        run = self.new_run()
        self.push(self.embedded, run, *LARGE)
        node = self.cluster.nodes[2].process.pid
        before = resource.prlimit(node, resource.RLIMIT_FSIZE)
        resource.prlimit(node, resource.RLIMIT_FSIZE, (4096, before[1]))
        try:
            code, _, errors = probe("push", self.url(timeout=3), "--run", run, *LARGE)
        finally:
            resource.prlimit(node, resource.RLIMIT_FSIZE, before)
        self.assertEqual(code, 1, errors)
        self.assertIn("the disk of a node is full", errors)
        self.assertFalse(self.is_seen(run))
        self.push(self.url(), run, *LARGE)
        self.assert_same_answers(run)


class MissingNodes(Case):
    def test_answer_tells_what_it_lacks(self):
        run = self.new_run()
        self.push(self.url(), run, "--ranks", 5)
        question = "SELECT rank FROM {{rank_ops}} WHERE run = $run GROUP BY rank ORDER BY rank"
        whole = self.ask(question, run)
        self.assertEqual(len(whole.splitlines()), 1 + 5)
        self.cluster.kill(2)
        try:
            some, notes = self.ask(question, run, notes=True)
        finally:
            self.cluster.start(2)
        missing = 5 - (len(some.splitlines()) - 1)
        self.assertIn(missing, (2, 3))
        self.assertIn(f"{missing} of 5 ranks", notes)
        self.assertIn("Shard 2 of 2 of the store does not answer", notes)
        self.assertEqual(self.ask(question, run), whole)

    def test_other_node_of_a_shard_stands_in(self):
        run = self.new_run()
        self.push(self.url(), run)
        question = "SELECT rank, sum(calls) AS n FROM {{rank_ops}} WHERE run = $run GROUP BY rank ORDER BY rank"
        whole = self.ask(question, run)
        for index in (0, 1):
            self.cluster.kill(index)
            try:
                self.assertEqual(self.ask(question, run), whole)
            finally:
                self.cluster.start(index)

    def test_node_that_hangs(self):
        run = self.new_run()
        self.push(self.url(), run)
        question = COUNT % "rank_ops"
        whole = self.ask(question, run)
        node = self.cluster.nodes[0].process
        node.send_signal(signal.SIGSTOP)
        try:
            self.assertEqual(self.ask(question, run, self.url(timeout=4)), whole)
        finally:
            node.send_signal(signal.SIGCONT)

    def test_no_node(self):
        free = cluster.free_ports(1)[0]
        code, _, errors = probe("ask", f"clickhouse://127.0.0.1:{free}/fleet", text="SELECT run FROM {{runs}}")
        self.assertEqual(code, 1)
        self.assertIn("does not answer", errors)


class Rights(Case):
    def fails(self, store=None, env=None, user=cluster.WRITER):
        code, output, errors = probe("push", store or self.url(timeout=2), "--run", self.new_run(), env=env, user=user)
        self.assertNotEqual(code, 0, output)
        for password in cluster.PASSWORDS.values():
            self.assertNotIn(password, errors)
        return errors

    def test_wrong_password(self):
        self.assertIn("OPSIGHT_CLICKHOUSE_PASSWORD", self.fails(user="nobody"))

    def test_reader_cannot_push(self):
        self.push(self.url(), self.new_run())
        self.assertIn("readonly", self.fails(user=cluster.READER))

    def test_no_password_in_an_address(self):
        secret = cluster.PASSWORDS[cluster.WRITER].replace(" ", "+")
        for bad in (f"clickhouse://writer:{secret}@127.0.0.1:1/fleet", f"clickhouse://127.0.0.1:1/fleet?password={secret}"):
            errors = self.fails(bad)
            self.assertIn("OPSIGHT_CLICKHOUSE_PASSWORD", errors)
            self.assertNotIn(secret, errors)

    def test_file_of_credentials(self):
        path = pathlib.Path(self.folder.name) / "credentials"
        path.write_text(f"user = {cluster.WRITER}\npassword = {cluster.PASSWORDS[cluster.WRITER]}\n")
        env = {**os.environ, "OPSIGHT_CLICKHOUSE_CREDENTIALS": str(path)}
        path.chmod(0o644)
        self.assertIn("chmod 600", self.fails(env=env))
        path.chmod(0o600)
        self.push(self.url(), self.new_run(), env=env)


@WITH_SERVERS
class Tls(unittest.TestCase):
    def test_certificates(self):
        with cluster.Cluster(nodes=1, zookeeper=False, tls=True) as alone:
            url = f"clickhouse+tls://localhost:{alone.nodes[0].https}/{cluster.DATABASE}"
            trusting = environment(OPSIGHT_CLICKHOUSE_CA=str(alone.certificate))
            code, output, errors = probe("push", url, "--ranks", 2, env=trusting)
            self.assertEqual((code, errors), (0, ""), output)
            code, output, errors = probe("ask", url, text="SELECT count(*) AS n FROM {{runs}}", env=trusting)
            self.assertEqual((code, output), (0, "n\t\n1\t\n"), errors)
            code, _, errors = probe("ask", url, text="SELECT count(*) AS n FROM {{runs}}")
            self.assertEqual(code, 1)
            self.assertIn("certificate", errors)


if __name__ == "__main__":
    unittest.main()
