import type { GateCheck } from '@ratchet/contracts/eval-gate'
import { ioFor, type Ran, runEvalCommand } from '../api/run-against.fixture.ts'
import { refusal, type Scripted, type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { evalId } from './evals.fixture.ts'

let api: ScriptedApi

beforeEach(async () => {
  api = await startScriptedApi()
})
afterEach(() => api.stop())

const winRate: GateCheck = {
  name: 'min_win_rate',
  operator: '>=',
  threshold: 0.55,
  observed: 0.70204081,
  ci: [0.6, 0.8],
  passed: true,
}
const conclusive: GateCheck = {
  name: 'require_conclusive',
  operator: '==',
  threshold: true,
  observed: true,
  ci: null,
  passed: true,
}
const failed = (check: GateCheck): GateCheck => ({ ...check, passed: false })

function passes(...checks: GateCheck[]): Scripted {
  return { body: { object: 'eval.gate', eval_id: evalId, candidate: 'sim/small', passed: true, checks } }
}

function refuses(eval_status: string, ...checks: GateCheck[]): Scripted {
  const details = { eval_status, candidate: 'sim/small', checks }
  return refusal(412, { message: 'It is not proven.', code: 'precondition_failed', details })
}

async function gate(answer: Scripted, flags = '--min-win-rate 0.55'): Promise<Ran> {
  api.answers(`GET /v1/evals/${evalId}/gate`, answer)
  return runEvalCommand(ioFor(api), `gate ${evalId} ${flags}`)
}

it.each<[number, string, Scripted]>([
  [0, 'every check holds', passes(winRate, conclusive)],
  [2, 'a check failed', refuses('DONE', failed(winRate), conclusive)],
  [2, 'a check failed and it is inconclusive too', refuses('DONE', failed(winRate), failed(conclusive))],
  [2, 'it is refused without a failed check', refuses('DONE', winRate)],
  [3, 'it runs', refuses('RUNNING')],
  [3, 'it failed', refuses('FAILED', failed(winRate), failed(conclusive))],
  [3, 'it was cancelled', refuses('CANCELLED')],
  [4, 'it is inconclusive and nothing else', refuses('DONE', winRate, failed(conclusive))],
  [1, 'there is no such eval', refusal(404, { message: 'There is no such eval.', code: 'not_found', param: 'id' })],
  [1, 'no check is given', refusal(400, { message: 'Ask for a check.', code: 'no_checks' })],
  [1, 'the key is not valid', refusal(401, { message: 'The API key is not valid.', code: 'invalid_api_key' })],
  [1, 'a 412 has no checks', refusal(412, { message: 'No.', code: 'precondition_failed' })],
  [1, 'the API fails', { status: 500, body: '<html>' }],
  [1, 'the answer does not match the contract', { body: { object: 'list' } }],
  [1, 'the API is unavailable', { status: 503, body: '' }],
  [1, 'the connection breaks', 'hang up'],
])('exits with %d when %s', async (code, _, answer) => {
  expect((await gate(answer)).code).toBe(code)
  expect((await gate(answer, '--min-win-rate 0.55 --json')).code).toBe(code)
})

it.each([
  [`gate ${evalId}`, 'give at least one check, such as --min-win-rate 0.55'],
  [`gate ${evalId} --no-require-conclusive`, 'give at least one check'],
  [`gate ${evalId} --candidate sim/small`, 'give at least one check'],
  [
    `gate ${evalId} --min-win-rate 1.5`,
    "option '--min-win-rate <rate>' argument '1.5' is invalid. This must be a number",
  ],
  [`gate ${evalId} --min-win-rate`, "option '--min-win-rate <rate>' argument missing"],
  [`gate ${evalId} --min-samples many`, "option '--min-samples <count>' argument 'many' is invalid."],
  [`gate ${evalId} --require-trust some`, "option '--require-trust <trust>' argument 'some' is invalid."],
  [`gate ${evalId} --min-winrate 0.5`, "unknown option '--min-winrate'"],
  ['gate --min-win-rate 0.5', "missing required argument 'id'"],
  ['gate ../models --min-win-rate 0.5', "command-argument value '../models' is invalid for argument 'id'."],
  ['gates', "unknown command 'gates'"],
])('exits with 1 for wrong usage, because 2 is a failed check: %s', async (line, message) => {
  const { code, out, err } = await runEvalCommand(ioFor(api), line)

  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/^error: [^\n]+\n$/)
  expect(err).toContain(message)
  expect(api.seen).toEqual([])
})

it('sends every check of its flag, with its value unchanged', async () => {
  const flags = {
    '--candidate': 'sim/small',
    '--min-win-rate': '0.55',
    '--min-win-rate-lower': '.5',
    '--max-loss-rate': '0.3',
    '--min-savings-pct': '-5',
    '--max-avg-latency-ms': '1200',
    '--max-p95-latency-ms': '3e3',
    '--max-latency-ratio': '1.1',
    '--max-error-rate': '0.01',
    '--min-samples': '50',
    '--min-runs-clean-pct': '90',
    '--min-assertion-pass-rate': '1',
    '--require-trust': 'trustworthy',
  }
  const line = Object.entries(flags).map(([flag, value]) => `${flag}=${value}`)

  await gate(passes(), [...line, '--no-require-conclusive'].join(' '))

  const query = new URL(api.seen[0]!.line.split(' ')[1]!, api.baseUrl).searchParams
  expect(Object.fromEntries(query)).toEqual({
    ...Object.fromEntries(Object.entries(flags).map(([flag, value]) => [flag.slice(2).replaceAll('-', '_'), value])),
    require_conclusive: 'false',
  })
})

it('sends require_conclusive only if it was given', async () => {
  await gate(passes(conclusive), '--require-conclusive')

  expect(api.seen[0]!.line).toBe(`GET /v1/evals/${evalId}/gate?require_conclusive=true`)
})

it('prints the checks as a table, with the result below', async () => {
  const unknown = { ...failed(winRate), name: 'max_error_rate', operator: '<=' as const, observed: null, ci: null }

  const { out, err } = await gate(refuses('DONE', winRate, unknown))

  expect(err).toBe('')
  expect(out).toBe(
    [
      '   CHECK           REQUIRED  OBSERVED      95 % INTERVAL',
      '✓  min_win_rate    >= 0.55   0.702         0.6 to 0.8',
      '✗  max_error_rate  <= 0.55   not measured  -',
      '',
      'failed: max_error_rate',
      '',
    ].join('\n'),
  )
})

it('prints the status of an eval that is not DONE', async () => {
  expect((await gate(refuses('RUNNING'))).out).toBe('not DONE: the eval is RUNNING\n')
})

it('prints the answer of the API as JSON', async () => {
  const passed = passes(winRate)

  expect(JSON.parse((await gate(passed, '--min-win-rate 0.55 --json')).out)).toEqual((passed as { body: unknown }).body)
  expect(JSON.parse((await gate(refuses('DONE', failed(winRate)), '--min-win-rate 0.55 --json')).out)).toEqual({
    passed: false,
    message: 'It is not proven.',
    eval_status: 'DONE',
    candidate: 'sim/small',
    checks: [failed(winRate)],
  })
})

it.each([
  [{ message: 'No such eval.', code: 'not_found', param: 'id' }, 'error: No such eval. (not_found, id)\n'],
  [{ message: 'It is busy.', code: 'conflict' }, 'error: It is busy. (conflict)\n'],
  [{ message: 'Upstream.', code: null }, 'error: Upstream.\n'],
  [{ message: 'Two\nlines\u001b[2J', code: null }, 'error: Two lines [2J\n'],
])('prints an error of the API in one line: %j', async (error, line) => {
  expect(await gate(refusal(404, error))).toMatchObject({ code: 1, out: '', err: line })
})

it('names the request whose answer does not match the contract', async () => {
  const { err } = await gate({ status: 404, body: 'not here' })

  expect(err).toBe(
    `error: GET ${api.baseUrl}/v1/evals/${evalId}/gate answered 404 with a body that does not match the API of this release\n`,
  )
})
