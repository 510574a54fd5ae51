import { createWriteStream } from 'node:fs'
import { access, mkdir, rename, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join, resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { checkedBytes } from '../../artifacts/checked-bytes.ts'

/** Names of adapters and of their files, which become names of folders and files. */
const plain = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/
const Complete = z.strictObject({ files: z.array(z.string().regex(plain)).min(1).max(64) })

/**
 * Keeps the adapters of one engine, in a folder that both containers of its pod have. Files are checked as they arrive, and an
 * adapter gets its name when it is complete. Who may call it is decided by the network.
 */
export function adapterServer(root: string): Server {
  const base = resolve(root)
  return createServer((request, response) => {
    handle(base, request, response).catch((error: unknown) => {
      const status = error instanceof RangeError || error instanceof z.ZodError ? 400 : 500
      response.writeHead(status).end()
    })
  })
}

async function handle(base: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, top, name = '', file, ...more] = new URL(request.url ?? '/', 'http://engine').pathname.split('/')
  if (request.url === '/health') return void response.end()
  if (top !== 'adapters' || more.length > 0 || !plain.test(name) || name.endsWith('.unfinished')) {
    return void response.writeHead(404).end()
  }
  const folder = join(base, name)
  const unfinished = `${folder}.unfinished`
  switch (request.method) {
    case 'GET':
      return void response.writeHead((await isThere(folder)) ? 200 : 404).end(folder)
    case 'PUT':
      await receive(request, unfinished, file)
      return void response.writeHead(204).end()
    case 'POST': {
      const { files } = Complete.parse(await json(request))
      for (const each of files) await access(join(unfinished, each))
      await rename(unfinished, folder)
      return void response.end(folder)
    }
    case 'DELETE':
      await rm(folder, { recursive: true, force: true })
      await rm(unfinished, { recursive: true, force: true })
      return void response.writeHead(204).end()
    default:
      return void response.writeHead(405).end()
  }
}

async function receive(request: IncomingMessage, folder: string, file: string | undefined): Promise<void> {
  const sha256 = String(request.headers['x-content-sha256'])
  const bytes = Number(request.headers['content-length'])
  if (file === undefined || !plain.test(file) || !/^[0-9a-f]{64}$/.test(sha256) || !Number.isSafeInteger(bytes)) {
    throw new RangeError('not a file of an adapter')
  }
  await mkdir(folder, { recursive: true })
  await pipeline(request, checkedBytes({ sha256, bytes }), createWriteStream(join(folder, file)))
}

async function isThere(folder: string): Promise<boolean> {
  return await access(folder).then(
    () => true,
    () => false,
  )
}
