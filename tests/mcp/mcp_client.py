"""A plain client of the Model Context Protocol over a program's standard input and output."""

import json
import subprocess

import opsight_cli


class Client:
    """Started with files for `opsight mcp`; ends with the `with`."""

    def __init__(self, *arguments, version="2025-06-18"):
        self.program = subprocess.Popen([opsight_cli.PROGRAM, "mcp", *map(str, arguments)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.next_id = 0
        self.began = self.request("initialize", protocolVersion=version, capabilities={},
                                  clientInfo={"name": "test", "version": "1"})
        self.notify("notifications/initialized")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.stdin.close()
        self.code = self.program.wait(timeout=60)
        self.program.stdout.close()
        self.program.stderr.close()

    def write(self, text):
        self.program.stdin.write(text + "\n")
        self.program.stdin.flush()

    def send(self, **message):
        self.write(json.dumps({"jsonrpc": "2.0", **message}))

    def notify(self, method, **params):
        self.send(method=method, params=params)

    def read(self):
        answer = json.loads(self.program.stdout.readline())
        for each in answer if isinstance(answer, list) else [answer]:
            assert each["jsonrpc"] == "2.0" and ("result" in each) != ("error" in each), each
        return answer

    def start(self, method, **params):
        self.next_id += 1
        self.send(id=self.next_id, method=method, params=params)
        return self.next_id

    def request(self, method, **params):
        """The result of a request; of one that fails, the error."""
        wanted = self.start(method, **params)
        answer = self.read()
        assert answer["id"] == wanted, answer
        return answer.get("result", answer.get("error"))

    def call(self, tool, **arguments):
        """(what the tool says, whether it failed): JSON where it did not."""
        result = self.request("tools/call", name=tool, arguments=arguments)
        (content,) = result["content"]
        assert content["type"] == "text", content
        failed = result["isError"]
        return (content["text"] if failed else json.loads(content["text"])), failed

    def ask(self, tool, **arguments):
        answer, failed = self.call(tool, **arguments)
        assert not failed, answer
        return answer
