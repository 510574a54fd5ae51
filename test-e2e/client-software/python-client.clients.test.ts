import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makePythonClient } from '@ratchet/infra/clients/make-python-client'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { findPython } from '@ratchet/infra/processes/find-python'
import { endpointsOf, type OpenApi } from '@ratchet/infra/site/openapi'
import { shareFleet } from '../shared-fleet/shared-fleet.ts'
import { installPython, installTimeoutMs } from './install-software.ts'

const found = findPython()
const withPython = found.kind === 'found' ? it : it.skip

let folder: string
let python: string
let files: readonly string[]

/* The wheel is installed as from the registry, and used by a program outside the repository. */
beforeAll(async () => {
  if (found.kind === 'missing') return
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-client-'))
  files = await makePythonClient(path.join(folder, 'client'))
  const wheel = files.find((file) => file.endsWith('.whl')) ?? ''
  await run(found.python, ['-m', 'venv', path.join(folder, 'venv')])
  python = path.join(folder, 'venv', 'bin', 'python')
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', wheel])
}, installTimeoutMs)
afterAll(() => {
  if (found.kind === 'found') rmSync(folder, { recursive: true, force: true })
})

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { ok, output } = await collectOutput(command, args, { cwd: folder, env: { ...process.env, ...env } })
  if (!ok) throw new Error(output.slice(-4_000))
  return output
}

/** Runs a program with the client, and returns what it prints as JSON. */
async function runProgram(body: string, address: { baseUrl: string; apiKey: string }): Promise<unknown> {
  const file = path.join(folder, 'program.py')
  writeFileSync(file, body)
  return JSON.parse(await run(python, [file], { RATCHET_BASE_URL: address.baseUrl, RATCHET_API_KEY: address.apiKey }))
}

withPython('builds a wheel and a source distribution, of which every module can be imported', async () => {
  const document = JSON.parse(readFileSync(path.join(repositoryRoot, 'docs', 'openapi.json'), 'utf8')) as OpenApi
  const version = '\\d+\\.\\d+\\.\\d+'
  expect(files.map((file) => path.basename(file)).sort()).toEqual([
    expect.stringMatching(`^ratchet_client-${version}-py3-none-any\\.whl$`),
    expect.stringMatching(`^ratchet_client-${version}\\.tar\\.gz$`),
  ])
  const printed = await runProgram(
    `
import importlib, json, pkgutil
import ratchet_client
names = [each.name for each in pkgutil.walk_packages(ratchet_client.__path__, "ratchet_client.")]
for name in names:
    importlib.import_module(name)
endpoints = [name for name in names if name.startswith("ratchet_client.api.") and name.count(".") == 3]
from ratchet_client.models.eval_status import check_eval_status
print(json.dumps([len(endpoints), check_eval_status("of_a_later_version")]))`,
    { baseUrl: '', apiKey: '' },
  )
  expect(printed).toEqual([endpointsOf(document).length, 'of_a_later_version'])
})

withPython(
  'reads, writes and deletes on a fleet, and raises errors with their codes',
  async () => {
    const { url, workspace } = await shareFleet()
    const printed = await runProgram(
      `
import asyncio, json
from ratchet_client import AuthenticationError, InvalidRequestError, NotFoundError, Ratchet, RatchetError
from ratchet_client.api.aliases import delete_aliases_name, get_aliases_name, put_aliases
from ratchet_client.api.models import get_models
from ratchet_client.models import PutAlias

def caught(call):
    try:
        call()
    except RatchetError as error:
        return error

name = "from-the-python-client"
ratchet = Ratchet()
put = put_aliases.sync(client=ratchet, body=PutAlias(name=name, target_model="sim/small"))
read = get_aliases_name.sync(name, client=ratchet)
detailed = asyncio.run(get_aliases_name.asyncio_detailed(name, client=ratchet))
delete_aliases_name.sync(name, client=ratchet)
missing = caught(lambda: get_aliases_name.sync(name, client=ratchet))
wrong = caught(lambda: put_aliases.sync(client=ratchet, body=PutAlias(name=name, target_model=5)))
refused = caught(lambda: get_models.sync(client=Ratchet(api_key="sk_svc_wrong")))
print(json.dumps({
    "put": put.target_model, "read": read.target_model, "version": detailed.parsed.version == read.version,
    "missing": [type(missing) is NotFoundError, missing.status, missing.code, type(missing.request_id).__name__],
    "wrong": [type(wrong) is InvalidRequestError, wrong.status, wrong.code, wrong.param],
    "refused": [type(refused) is AuthenticationError, refused.code],
}))`,
      { baseUrl: url, apiKey: workspace.apiKey },
    )

    expect(printed).toEqual({
      put: 'sim/small',
      read: 'sim/small',
      version: true,
      missing: [true, 404, 'not_found', 'str'],
      wrong: [true, 400, 'invalid_request', 'target_model'],
      refused: [true, 'invalid_api_key'],
    })
  },
  installTimeoutMs,
)

interface Received {
  readonly method: string
  readonly key: string | undefined
  readonly body: string
  readonly atMs: number
}

const logImport = {
  object: 'log.import',
  total: 1,
  imported: 1,
  duplicates: 0,
  failed: 0,
  skipped: { too_large: 0 },
  errors: [],
}

/** Answers with 503 or 429 what is named, and loses the connection of the first POST. */
function answer(response: ServerResponse, { method }: Received, isFirst: boolean): void {
  const send = (status: number, body: object, retryAfter?: string) => {
    const wait = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
    response.writeHead(status, { 'Content-Type': 'application/json', ...wait }).end(JSON.stringify(body))
  }
  if (method === 'POST') {
    if (isFirst) response.destroy()
    else send(200, logImport)
  } else if (method === 'DELETE') send(429, { error: { code: 'rate_limit_exceeded' } }, '3600')
  else if (method === 'GET' && !isFirst) send(200, { object: 'list', data: [] })
  else send(503, { error: { code: 'service_unavailable' } }, '1')
}

async function listen(received: Received[]): Promise<{ baseUrl: string; close: () => void }> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const { method = '', headers } = request
      const isFirst = received.every((earlier) => earlier.method !== method)
      received.push({ method, key: headers['idempotency-key']?.toString(), body, atMs: performance.now() })
      answer(response, received.at(-1) as Received, isFirst)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

withPython('repeats what the server would recognize, with the same key, after the time that it says', async () => {
  const received: Received[] = []
  const { baseUrl, close } = await listen(received)
  try {
    const printed = await runProgram(
      `
import asyncio, io, json
from ratchet_client import RateLimitError, Ratchet, ServerError
from ratchet_client.api.logs import delete_logs_id, post_logs_import
from ratchet_client.api.models import get_models
from ratchet_client.api.webhooks import patch_webhooks_id
from ratchet_client.models import PatchWebhooksIdRequest
from ratchet_client.types import File

async def main():
    async with Ratchet() as ratchet:
        return await post_logs_import.asyncio(client=ratchet, body=File(io.BytesIO(b"{}")))

caught = []
with Ratchet() as ratchet:
    models = get_models.sync(client=ratchet)
    imported = asyncio.run(main())
    try:
        patch_webhooks_id.sync("x", client=ratchet, body=PatchWebhooksIdRequest())
    except ServerError as error:
        caught.append([error.status, error.code])
    try:
        delete_logs_id.sync("x", client=ratchet)
    except RateLimitError as error:
        caught.append([error.status, error.code])
print(json.dumps([models.data, imported.imported, *caught]))`,
      { baseUrl, apiKey: 'sk_svc_any' },
    )
    expect(printed).toEqual([[], 1, [503, 'service_unavailable'], [429, 'rate_limit_exceeded']])
  } finally {
    close()
  }
  const [get, getAgain, post, postAgain, ...others] = received
  expect([get?.key, getAgain?.key]).toEqual([undefined, undefined])
  expect((getAgain?.atMs ?? 0) - (get?.atMs ?? 0)).toBeGreaterThanOrEqual(990)
  expect(post?.key).toMatch(/^[0-9a-f-]{36}$/)
  expect(postAgain).toMatchObject({ key: post?.key, body: '{}' })
  expect(others.map(({ method }) => method)).toEqual(['PATCH', 'DELETE'])
})

withPython(
  'has types that refuse a wrong body and an unknown field, and list the codes; its own sources are tidy',
  async () => {
    const tools = await installPython(['mypy==2.4.1', 'ruff==0.17.6'])
    const check = async (line: string) => {
      const file = path.join(folder, 'check.py')
      writeFileSync(file, `${typed}\n${line}\n`)
      return collectOutput(path.join(tools, 'mypy'), ['--strict', '--python-executable', python, file], { cwd: folder })
    }
    expect(await check('target: str = alias.target_model')).toMatchObject({ ok: true })
    const wrong = [
      'a: int = alias.target_model',
      'b = alias.target',
      'code: KnownErrorCode = "no_code"',
      'put_aliases.sync(client=ratchet, body=PutAlias(name="a", target_model=5))',
    ]
    for (const line of wrong) {
      expect(await check(line)).toMatchObject({ ok: false, output: expect.stringContaining('Found 1 error in 1 file') })
    }
    const sources = path.join(repositoryRoot, 'clients', 'python')
    await run(path.join(tools, 'ruff'), ['check', '--no-cache', sources])
    await run(path.join(tools, 'ruff'), ['format', '--no-cache', '--check', sources])
  },
  installTimeoutMs,
)

const typed = `
from ratchet_client import KnownErrorCode, Ratchet
from ratchet_client.api.aliases import get_aliases_name, put_aliases
from ratchet_client.models import PutAlias

ratchet = Ratchet("http://x", "y")
known: KnownErrorCode = "not_found"
alias = get_aliases_name.sync("a", client=ratchet)
alias = put_aliases.sync(client=ratchet, body=PutAlias(name="a", target_model="sim/small"))`
