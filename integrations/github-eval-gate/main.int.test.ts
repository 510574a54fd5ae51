import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'

interface Seen {
  readonly line: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: { readonly body?: string } | null
}

type Answer = readonly [status: number, body: unknown]

let server: Server
let url: string
let folder: string
let seen: Seen[]
let answers: Map<string, Answer[]>

/** A server that is the gateway and GitHub at once. */
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-action-'))
  seen = []
  answers = new Map()
  server = createServer(async (request, response) => {
    const line = `${request.method} ${request.url}`
    seen.push({ line, headers: request.headers, body: JSON.parse((await text(request)) || 'null') })
    const script = answers.get(line) ?? []
    const [status, body] = (script.length > 1 ? script.shift() : script[0]) ?? [404, { message: 'not scripted' }]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(path.join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 7 } }))
  writeFileSync(path.join(folder, 'eval.json'), JSON.stringify({ name: 'Bot', candidate_models: ['sim/small'] }))
})

afterEach(async () => {
  server.close()
  await once(server, 'close')
  rmSync(folder, { recursive: true })
})

const check = { name: 'min_win_rate', operator: '>=', threshold: 0.5, observed: 0.61234, ci: [0.5, 0.7], passed: true }
const comments = '/repos/acme/bot/issues/7/comments'

function script(gate: Answer, ...statuses: readonly string[]): void {
  const evaluated = (status: string): Answer => [
    200,
    { id: 'eval_1', name: 'Bot @all', status, baseline_model: 'sim/large' },
  ]
  answers.set('POST /v1/evals', [[200, { id: 'eval_1', status: 'PENDING' }]])
  answers.set('GET /v1/evals/eval_1', statuses.map(evaluated))
  answers.set('GET /v1/evals/eval_1/gate?min_win_rate=0.5&candidate=sim%2Fsmall', [gate])
  answers.set(`GET ${comments}?per_page=100&page=1`, [[200, [{ id: 3, body: 'by a person' }]]])
  answers.set(`POST ${comments}`, [[201, { id: 9 }]])
  answers.set('PATCH /repos/acme/bot/issues/comments/5', [[200, { id: 5 }]])
}

async function runAction(inputs: Readonly<Record<string, string>> = {}) {
  const given = {
    'base-url': `${url}/`,
    'api-key': 'sk_key',
    eval: path.join(folder, 'eval.json'),
    checks: 'min_win_rate=0.5\n candidate = sim/small\n',
    comment: 'bot',
    'github-token': 'token',
    ...inputs,
  }
  const env = {
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    GITHUB_EVENT_PATH: path.join(folder, 'event.json'),
    GITHUB_REPOSITORY: 'acme/bot',
    GITHUB_API_URL: url,
    GITHUB_RUN_ID: '12',
    GITHUB_RUN_ATTEMPT: '2',
    GITHUB_OUTPUT: path.join(folder, 'output'),
    GITHUB_STEP_SUMMARY: path.join(folder, 'summary'),
    RATCHET_POLL_MS: '5',
  }
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.mjs')], { env })
  const [output] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (child.exitCode === null) await once(child, 'exit')
  return { code: child.exitCode, output }
}

const lines = () => seen.map(({ line }) => line.split('?')[0])

it('creates an eval, waits for it, and comments that its gate passed', async () => {
  script([200, { candidate: 'sim/small', passed: true, checks: [check] }], 'PENDING', 'RUNNING', 'DONE')
  const { code, output } = await runAction()
  expect([code, output]).toEqual([0, expect.stringContaining('✅ passed')])
  const evaluated = Array.from({ length: 3 }, () => 'GET /v1/evals/eval_1')
  const commented = [`GET ${comments}`, `POST ${comments}`]
  expect(lines()).toEqual(['POST /v1/evals', ...evaluated, 'GET /v1/evals/eval_1/gate', ...commented])
  const [created] = seen
  expect(created?.headers).toMatchObject({ authorization: 'Bearer sk_key' })
  expect(created?.headers['idempotency-key']).toMatch(/^github-12-2-bot-[0-9a-f]{16}$/)
  const comment = seen.at(-1)?.body?.body ?? ''
  expect(comment).toMatch(/^<!-- ratchet-eval-gate: bot -->\n/)
  expect(comment).toContain('| ✅ | `min_win_rate` | >= 0.5 | 0.6123 | 0.5 to 0.7 |')
  expect(comment).not.toContain('@all')
  expect(readFileSync(path.join(folder, 'output'), 'utf8')).toBe('eval-id=eval_1\npassed=true\n')
  expect(readFileSync(path.join(folder, 'summary'), 'utf8')).toContain('Eval gate')
})

it('rewrites its comment when the gate does not pass, and fails the job', async () => {
  const details = { eval_status: 'DONE', candidate: 'sim/small', checks: [{ ...check, passed: false }] }
  const error = { code: 'precondition_failed', message: 'The gate did not pass.', details }
  script([412, { error }], 'DONE')
  const own = { id: 5, body: '<!-- ratchet-eval-gate: bot -->\nold' }
  const many = Array.from({ length: 100 }, (_, id) => ({ id: 100 + id, body: 'other' }))
  answers.set(`GET ${comments}?per_page=100&page=1`, [[200, many]])
  answers.set(`GET ${comments}?per_page=100&page=2`, [[200, [own]]])
  const { code, output } = await runAction()
  expect([code, output]).toEqual([1, expect.stringContaining('❌ not passed')])
  expect(seen.at(-1)?.line).toBe('PATCH /repos/acme/bot/issues/comments/5')
  expect(readFileSync(path.join(folder, 'output'), 'utf8')).toContain('passed=false')
})

it('takes an eval that exists, without a comment, and repeats a request that may succeed later', async () => {
  script([200, { candidate: 'sim/small', passed: true, checks: [check] }], 'DONE')
  const busy: Answer = [503, { error: { message: 'Busy.' } }]
  answers.set('GET /v1/evals/eval_1', [busy, [200, { id: 'eval_1', status: 'DONE' }]])
  const { code } = await runAction({ eval: '', 'eval-id': 'eval_1', comment: '' })
  expect(code).toBe(0)
  expect(lines()).toEqual(['GET /v1/evals/eval_1', 'GET /v1/evals/eval_1', 'GET /v1/evals/eval_1/gate'])
})

it.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ['an input is missing', { 'api-key': '' }, /^::error::The input api-key is missing\./],
  ['both an eval and an id are given', { 'eval-id': 'eval_1' }, /^::error::Give one of/],
  ['a check has no value', { checks: 'min_win_rate' }, /^::error::The check "min_win_rate"/],
  ['the key is refused', { 'base-url': 'KEY' }, /^::error::The key is revoked\./],
])('ends with 2 when %s', async (_, inputs, message) => {
  script([200, {}], 'DONE')
  answers.set('POST /refused/v1/evals', [[401, { error: { message: 'The key is revoked.' } }]])
  const given = inputs['base-url'] === 'KEY' ? { 'base-url': `${url}/refused` } : inputs
  const { code, output } = await runAction(given)
  expect([code, output]).toEqual([2, expect.stringMatching(message)])
})
