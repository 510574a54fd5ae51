import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createEval } from '@ratchet/contracts/evals'
import { ioFor, type Ran, runEvalCommand } from '../api/run-against.fixture.ts'
import { refusal, type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { doneEval, estimateWith, evalId, evalWith } from './evals.fixture.ts'

const pair = ['--baseline', 'sim/large', '--candidate', 'sim/small']
let api: ScriptedApi
let folder: string
let file: string

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-cli-'))
  file = path.join(folder, 'eval.json')
  api = await startScriptedApi()
  api.answers('POST /v1/evals', { body: evalWith({ status: 'PENDING' }) })
  api.answers(`GET /v1/evals/${evalId}`, { body: evalWith() }, { body: doneEval() })
})
afterEach(async () => {
  await api.stop()
  rmSync(folder, { recursive: true })
})

async function run(...flags: string[]): Promise<Ran> {
  return runEvalCommand(ioFor(api), ['run', ...flags])
}

it('starts an eval, waits for its end and prints its report', async () => {
  const { code, out, err } = await run(...pair)

  expect(code).toBe(0)
  expect(err).toContain(`Started ${evalId}: sim/small vs sim/large\n`)
  expect(out).toContain('conclusive: better than sim/large')
  expect(api.seen.map(({ line }) => line)).toEqual([
    'POST /v1/evals',
    `GET /v1/evals/${evalId}`,
    `GET /v1/evals/${evalId}`,
  ])
})

it('sends only the given fields', async () => {
  await run(...pair, '--detach')

  expect(api.seen[0]?.body).toEqual({
    name: 'sim/small vs sim/large',
    baseline_model: 'sim/large',
    candidate_models: ['sim/small'],
  })
})

it('has a flag for every field of an eval', async () => {
  const line = [
    '--name n --rubric r --rubric-type custom --baseline logged --candidate a --candidate b --samples 50',
    '--tag t --segment s --model m --dataset ds_1 --trace-replay --judging-mode match_reference --reference dataset',
    '--judge-model j --criterion crit_1 --assert-tool-called x --assert-tool-called y --assert-no-tool-call',
    '--panel-judge k --panel-judge l --assert-args z={"k":[1]} --temperature 0 --max-tokens 100 --seed -7 --max-cost-usd 2.5 --repetitions 2',
    '--question not_worse --margin 0.03 --stop-when conclusive --webhook-url https://ci.example.com/evals',
  ].join(' ')

  await run(...line.split(' '), '--detach')

  const body = api.seen[0]?.body
  expect(body).toEqual({
    name: 'n',
    rubric: 'r',
    rubric_type: 'custom',
    baseline_model: 'logged',
    candidate_models: ['a', 'b'],
    sample_count: 50,
    sample_filters: { tag: 't', segment: 's', model: 'm', dataset_id: 'ds_1', trace_replay: true },
    judging_mode: 'match_reference',
    reference: 'dataset',
    judge_model: 'j',
    judge_models: ['k', 'l'],
    criterion_id: 'crit_1',
    assertions: [
      { type: 'tool_called', value: 'x' },
      { type: 'tool_called', value: 'y' },
      { type: 'no_tool_call' },
      { type: 'args_match', value: 'z', args: { k: [1] } },
    ],
    params: { temperature: 0, max_tokens: 100 },
    seed: -7,
    max_cost_usd: 2.5,
    repetitions: 2,
    question: 'not_worse',
    margin: 0.03,
    stop_when: 'conclusive',
    webhook_url: 'https://ci.example.com/evals',
  })
  expect(Object.keys(body as object).toSorted()).toEqual(Object.keys(createEval.body.shape).toSorted())
})

it('reads the body from a file, and flags override its fields', async () => {
  const filters = { tag: 'old', segment: 's' }
  const body = { name: 'n', baseline_model: 'b', candidate_models: ['x', 'y'], sample_filters: filters, seed: 3 }
  writeFileSync(file, JSON.stringify(body))

  await run('--file', file, '--candidate', 'z', '--tag', 'new', '--temperature', '0.5', '--detach')

  expect(api.seen[0]?.body).toEqual({
    ...body,
    candidate_models: ['z'],
    sample_filters: { tag: 'new', segment: 's' },
    params: { temperature: 0.5 },
  })
})

it('starts one eval although it retries', async () => {
  const busy = refusal(503, { message: 'Busy.', code: 'service_unavailable' })
  api.answers('POST /v1/evals', 'hang up', busy, { body: evalWith() })

  const { code, err } = await run(...pair, '--detach')

  const keys = api.seen.map(({ idempotencyKey }) => idempotencyKey)
  expect([code, keys.length, new Set(keys).size]).toEqual([0, 3, 1])
  expect(keys[0]).toMatch(/^ratchet-cli-[0-9a-f]{32}$/)
  expect(err).toMatch(/cannot be reached .+; retrying in 1 s\nBusy\. .+; retrying in 2 s\n/)
})

it('with --detach prints only the id', async () => {
  const { code, out, err } = await run(...pair, '--detach')

  expect([code, out]).toEqual([0, `${evalId}\n`])
  expect(err).toBe(`Started. \`ratchet eval watch ${evalId}\` shows its progress.\n`)
  expect(api.seen).toHaveLength(1)
})

it('estimates the cost without starting an eval', async () => {
  const estimate = estimateWith()
  api.answers('POST /v1/evals/estimate', { body: estimate })

  expect((await run(...pair, '--estimate')).out).toBe(
    [
      'answers           $1.2500',
      'judging           $0.5000',
      'together          $1.7500',
      'samples           100',
      'eligible prompts  900',
      'distinct prompts  700',
      '',
    ].join('\n'),
  )
  expect(JSON.parse((await run(...pair, '--estimate', '--json')).out)).toEqual(estimate)
  expect(new Set(api.seen.map(({ line }) => line))).toEqual(new Set(['POST /v1/evals/estimate']))
})

it('with checks exits with the code of the gate', async () => {
  const checks = [
    { name: 'require_conclusive', operator: '==', threshold: true, observed: false, ci: null, passed: false },
  ]
  const details = { eval_status: 'DONE', candidate: 'sim/small', checks }
  api.answers(`GET /v1/evals/${evalId}/gate`, refusal(412, { message: 'No.', code: 'precondition_failed', details }))

  const { code, out } = await run(...pair, '--min-win-rate', '0.5', '--gate-candidate', 'sim/small')

  expect(code).toBe(4)
  expect(out).toContain('✗  require_conclusive  == true   false')
  expect(api.seen.at(-1)?.line).toBe(`GET /v1/evals/${evalId}/gate?candidate=sim%2Fsmall&min_win_rate=0.5`)
})

it('prints an error of the API', async () => {
  api.answers('POST /v1/evals', refusal(409, { message: 'Logging is off.', code: 'logging_disabled' }))

  expect(await run(...pair)).toMatchObject({ code: 1, out: '', err: 'error: Logging is off. (logging_disabled)\n' })
  expect(api.seen).toHaveLength(1)
})

it('does not cancel the eval on Ctrl-C', async () => {
  const io = ioFor(api)
  api.answers(`GET /v1/evals/${evalId}`, { body: evalWith() })
  api.onRequest(({ line }) => {
    if (line.startsWith('GET')) io.interrupt()
  })

  const { code, out, err } = await runEvalCommand(io, ['run', ...pair])

  expect([code, out]).toEqual([1, ''])
  expect(err).toContain(`\`ratchet eval watch ${evalId}\` shows it again.`)
})

it.each([
  ['', "required option '--baseline <model>' not specified"],
  ['--baseline b', "required option '--candidate <model>' not specified"],
  ['--baseline b --candidate a --candidate b --candidate c --candidate d', '--candidate: Too big'],
  ['--samples 4', "option '--samples <count>' argument '4' is invalid."],
  ['--samples 5.5', "option '--samples <count>' argument '5.5' is invalid."],
  ['--samples x', "option '--samples <count>' argument 'x' is invalid. Expected a number."],
  ['--temperature 2.1', "option '--temperature <number>' argument '2.1' is invalid."],
  ['--max-tokens 0', "option '--max-tokens <count>' argument '0' is invalid."],
  ['--max-cost-usd 0', "option '--max-cost-usd <amount>' argument '0' is invalid."],
  ['--repetitions 6', "option '--repetitions <count>' argument '6' is invalid."],
  ['--rubric-type nice', "option '--rubric-type <type>' argument 'nice' is invalid."],
  ['--judging-mode nice', "option '--judging-mode <mode>' argument 'nice' is invalid."],
  ['--assert-args x', "option '--assert-args <tool=json>' argument 'x' is invalid."],
  ['--assert-args x=[1]', "option '--assert-args <tool=json>' argument 'x=[1]' is invalid."],
  ['--file /nonexistent/eval.json', '--file: /nonexistent/eval.json cannot be read: ENOENT'],
  ['--baseline b --candidate a --detach --min-win-rate 0.5', "option '--detach' cannot be used with option '--min-win"],
  ['--baseline b --candidate a --detach --estimate', "option '--estimate' cannot be used with option '--detach'"],
  [
    '--baseline b --candidate a --estimate --no-require-conclusive',
    "option '--estimate' cannot be used with option '--",
  ],
  ['--baseline b --candidate a --candidate c --min-win-rate 0.5', '--gate-candidate: checks are for one candidate'],
  ['--baseline b --candidate a --min-win-rate 0.5 --gate-candidate c', '--gate-candidate: c is not a candidate'],
  ['--baseline b --candidate a --gate-candidate a', 'give at least one check'],
])('exits with 1 for wrong usage, without starting an eval: %s', async (line, message) => {
  const { code, out, err } = await run(...line.split(' ').filter((word) => word !== ''))

  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/^error: [^\n]+\n$/)
  expect(err).toContain(message)
  expect(api.seen).toEqual([])
})

it.each([
  ['{', 'does not contain a JSON object'],
  ['[]', 'does not contain a JSON object'],
  ['{"nmae": 1}', '--file: Unrecognized key: "nmae"'],
  ['{"sample_filters": {"day": 1}}', '--file: sample_filters: Unrecognized key: "day"'],
  ['{"sample_filters": 7}', '--file: sample_filters: '],
  ['{"sample_count": 4}', '--file: sample_count: '],
  ['{"assertions": [{"type": "wish"}]}', '--file: assertions.0.type: '],
])('names the wrong field of a file: %s', async (content, message) => {
  writeFileSync(file, content)

  const { code, err } = await run(...pair, '--file', file)

  expect(code).toBe(1)
  expect(err).toContain(message)
  expect(api.seen).toEqual([])
})
