"""Forwards connections from one address to another: python3 forward.py FROM TO, each HOST:PORT.

No kube-proxy runs here. This serves the one service address that every Pod has in its environment: that of the API server.
"""
import asyncio
import sys


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def main(from_, to):
    async def serve(reader, writer):
        try:
            up_reader, up_writer = await asyncio.open_connection(*to.rsplit(":", 1))
        except OSError:
            writer.close()
            return
        await asyncio.gather(pump(reader, up_writer), pump(up_reader, writer))

    host, port = from_.rsplit(":", 1)
    server = await asyncio.start_server(serve, host, int(port))
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
