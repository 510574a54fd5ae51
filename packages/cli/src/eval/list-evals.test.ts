import { ioFor, runEvalCommand } from '../api/run-against.fixture.ts'
import { type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { doneEval, evalId, evalWith } from './evals.fixture.ts'

let api: ScriptedApi

beforeEach(async () => {
  api = await startScriptedApi()
})
afterEach(() => api.stop())

function page(...data: object[]) {
  return { body: { object: 'list', data, total: data.length, limit: 20, offset: 0, has_more: false } }
}

it('prints a line for each row', async () => {
  api.answers('GET /v1/evals', page(evalWith({ name: 'small\u001b[2J' }), doneEval({ id: 'eval_2', name: 'large' })))

  expect((await runEvalCommand(ioFor(api), 'list --limit 2 --status DONE')).out).toBe(
    [
      `${'ID'.padEnd(evalId.length)}  NAME       STATUS   PROGRESS  CREATED`,
      `${evalId}  small [2J  RUNNING  10/100    2026-11-21T12:00:00.000Z`,
      `${'eval_2'.padEnd(evalId.length)}  large      DONE     100/100   2026-11-21T12:00:00.000Z`,
      '',
    ].join('\n'),
  )
  expect(api.seen[0]?.line).toBe('GET /v1/evals?limit=2&status=DONE')
})

it('names the command that starts one when there are none', async () => {
  api.answers('GET /v1/evals', page())

  expect((await runEvalCommand(ioFor(api), 'list')).out).toBe('no evals; `ratchet eval run` starts one\n')
})

it('prints the answer of the API as JSON, with fields that this release does not know', async () => {
  const newer = { ...evalWith(), mood: 'sunny' }
  api.answers('GET /v1/evals', page(newer))

  expect(JSON.parse((await runEvalCommand(ioFor(api), 'list --json')).out).data).toEqual([newer])
})

it.each([
  ['list --limit 0', "option '--limit <count>' argument '0' is invalid."],
  ['list --status done', "option '--status <status>' argument 'done' is invalid. Allowed choices are PENDING"],
])('refuses %s', async (line, message) => {
  const { code, err } = await runEvalCommand(ioFor(api), line)

  expect(code).toBe(1)
  expect(err).toContain(message)
})
