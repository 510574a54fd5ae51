import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeTypescriptClient } from '@ratchet/infra/clients/make-typescript-client'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { shareFleet } from '../shared-fleet/shared-fleet.ts'
import { installNpm, installTimeoutMs } from './install-software.ts'

let folder: string

/* The package is installed as from the registry, and used by a program outside the repository. */
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-client-'))
  const packed = await makeTypescriptClient(path.join(folder, 'client'))
  const program = path.join(folder, 'program')
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', program, packed])
  writeFileSync(path.join(program, 'package.json'), JSON.stringify({ type: 'module' }))
}, installTimeoutMs)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { ok, output } = await collectOutput(command, args, { cwd: folder, env: { ...process.env, ...env } })
  if (!ok) throw new Error(output.slice(-4_000))
  return output
}

/** Runs a program with the client, and returns what it prints as JSON. */
async function runProgram(body: string, address: { baseUrl: string; apiKey: string }): Promise<unknown> {
  const file = path.join(folder, 'program', 'main.js')
  const head = `import { createRatchet, NotFoundError, AuthenticationError, RateLimitError, RatchetError } from 'ratchet-client'\n`
  writeFileSync(file, `${head}const { BASE_URL: baseUrl, API_KEY: apiKey } = process.env\n${body}`)
  return JSON.parse(await run(process.execPath, [file], { BASE_URL: address.baseUrl, API_KEY: address.apiKey }))
}

it(
  'reads, writes and deletes on a fleet, and throws errors with their codes',
  async () => {
    const { url, workspace } = await shareFleet()
    const printed = await runProgram(
      `
const ratchet = createRatchet({ baseUrl, apiKey })
const name = 'from-the-client'
const put = await ratchet.PUT('/v1/aliases', { body: { name, target_model: 'sim/small' } })
const read = await ratchet.GET('/v1/aliases/{name}', { params: { path: { name } } })
await ratchet.DELETE('/v1/aliases/{name}', { params: { path: { name } } })
const caught = async (call) => call.then(() => null, (error) => error)
const missing = await caught(ratchet.GET('/v1/aliases/{name}', { params: { path: { name } } }))
const wrong = await caught(ratchet.PUT('/v1/aliases', { body: { name, target_model: 5 } }))
const other = createRatchet({ baseUrl, apiKey: 'sk_svc_wrong' })
const refused = await caught(other.GET('/v1/models'))
console.log(JSON.stringify({
  put: put.data.target_model, read: read.data.target_model,
  missing: [missing instanceof NotFoundError, missing.status, missing.code, typeof missing.requestId],
  wrong: [wrong instanceof RatchetError, wrong.status, wrong.code, wrong.param],
  refused: [refused instanceof AuthenticationError, refused.code],
}))`,
      { baseUrl: url, apiKey: workspace.apiKey },
    )

    expect(printed).toEqual({
      put: 'sim/small',
      read: 'sim/small',
      missing: [true, 404, 'not_found', 'string'],
      wrong: [true, 400, 'invalid_request', 'target_model'],
      refused: [true, 'invalid_api_key'],
    })
  },
  installTimeoutMs,
)

it('repeats what the server would recognize, with the same key, after the time that it says', async () => {
  const received: { method: string; key: string | undefined; atMs: number }[] = []
  const server = createServer((request, response) => {
    const key = request.headers['idempotency-key']
    received.push({ method: request.method ?? '', key: key?.toString(), atMs: performance.now() })
    const count = received.filter(({ method }) => method === request.method).length
    const status = count === 1 ? 503 : 200
    response.writeHead(status, {
      'Content-Type': 'application/json',
      ...(status === 503 ? { 'Retry-After': '1' } : {}),
    })
    response.end(
      JSON.stringify(status === 200 ? { object: 'list', data: [] } : { error: { code: 'service_unavailable' } }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const printed = await runProgram(
      `
const ratchet = createRatchet({ baseUrl, apiKey })
await ratchet.GET('/v1/models')
await ratchet.POST('/v1/evals', { body: {} })
const failed = await ratchet.PATCH('/v1/webhooks/{id}', { params: { path: { id: 'x' } }, body: {} }).catch((error) => error)
console.log(JSON.stringify([failed.status, failed.code]))`,
      { baseUrl, apiKey: 'sk_svc_any' },
    )
    expect(printed).toEqual([503, 'service_unavailable'])
  } finally {
    server.close()
  }
  const [get, getAgain, post, postAgain, ...others] = received
  expect([get?.key, getAgain?.key]).toEqual([undefined, undefined])
  expect((getAgain?.atMs ?? 0) - (get?.atMs ?? 0)).toBeGreaterThanOrEqual(990)
  expect(post?.key).toMatch(/^[0-9a-f-]{36}$/)
  expect(postAgain?.key).toBe(post?.key)
  expect(others.map(({ method }) => method)).toEqual(['PATCH'])
})

it(
  'has types that refuse a wrong body and an unknown path, and complete the codes',
  async () => {
    const tools = path.join(await installNpm(['openapi-typescript@7.13.0', 'typescript@5.9.3']), 'node_modules', '.bin')
    const check = async (line: string) => {
      const file = path.join(folder, 'program', 'check.ts')
      writeFileSync(file, `import { createRatchet, type KnownErrorCode } from 'ratchet-client'\n${typed}\n${line}\n`)
      const flags = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom', file]
      return collectOutput(path.join(tools, 'tsc'), flags, { cwd: path.dirname(file) })
    }
    expect(await check('export const target: string = alias.target_model')).toMatchObject({ ok: true })
    const wrong = [
      `await client.GET('/v1/alias')`,
      `export const code: KnownErrorCode = 'no_code'`,
      `export const a: number = alias.target_model`,
    ]
    for (const line of wrong) expect(await check(line)).toMatchObject({ ok: false })
  },
  installTimeoutMs,
)

const typed = `const client = createRatchet({ baseUrl: 'http://x', apiKey: 'y' })
const { data } = await client.GET('/v1/aliases/{name}', { params: { path: { name: 'a' } } })
if (data === undefined) throw new Error()
const alias = data`
