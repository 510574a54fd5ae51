import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { EvalGate, GateRefusal } from '@ratchet/contracts/eval-gate'
import { EvalEstimate } from '@ratchet/contracts/eval-plan'
import { Eval, listEvals } from '@ratchet/contracts/evals'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { type Api, apiOf, type Json, sendTraffic } from './judged-traffic.ts'
import { type Ratchet, ratchetOf } from './ratchet-command.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api
let ratchet: Ratchet

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  ratchet = ratchetOf(fleet, workspace)
  await sendTraffic(fleet, workspace, { model: 'sim/quality-1', count: 30, tag: 'support' })
}, 300_000)

const judged = ['--judge-model', 'sim/judge-1-1', '--rubric', 'The answer is right.'] as const
const among = ['--samples', '20', '--tag', 'support'] as const
/** The first arguments of a run. */
const comparing = (baseline: string, ...candidates: readonly string[]) => [
  ...['eval', 'run', '--baseline', baseline],
  ...candidates.flatMap((candidate) => ['--candidate', candidate]),
  ...judged,
  ...among,
]
/** A candidate that is better, one that is worse, and one that is neither. */
const better = comparing('sim/quality-0', 'sim/quality-1')
const worse = comparing('sim/quality-1', 'sim/quality-0')
const alike = comparing('sim/quality-1', 'sim/quality-0.999999')

/** The judge of these evals is not a criterion, so no calibration has measured it. */
const anyJudge = '--no-require-measured-judge'

const evalIdIn = (text: string) => /eval_[0-9a-f]{32}/.exec(text)?.[0] ?? ''
const cancel = (id: string) => api('POST', `/evals/${id}/cancel`)

describe('a deploy that waits for `eval run`', () => {
  it('continues when the candidate is proven', async () => {
    const checks = ['--min-win-rate-lower', '0.5', '--max-error-rate', '0', '--min-samples', '20', anyJudge]
    const { code, stdout, stderr } = await ratchet(...better, ...checks)
    const id = evalIdIn(stderr)
    expect(stderr).toMatch(/^Started eval_[0-9a-f]{32}: sim\/quality-1 vs sim\/quality-0\n/)
    expect(stdout).toContain(`sim/quality-1 vs sim/quality-0 (${id})\nDONE\njudged by sim/judge-1-1\n`)
    expect(stdout).toContain('conclusive: better than sim/quality-0')
    expect(stdout).toMatch(/^✓ {2}min_win_rate_lower +>= 0\.5 +0\.8/m)
    expect(stdout).toMatch(/^✓ {2}require_conclusive /m)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`passed: sim/quality-1 in ${id}`)
    expect(code).toBe(0)
  }, 180_000)

  it('stops with 2 when a check fails, and with 4 when the result is only inconclusive', async () => {
    const [failed, inconclusive] = await Promise.all([
      ratchet(...worse, '--min-win-rate', '0.5', '--min-samples', '20', anyJudge),
      // All prompts of the log: of sets that are chosen among them, every twentieth would find a difference by chance.
      ratchet(...alike, '--samples', '30', '--seed', '1', '--min-samples', '20', anyJudge),
    ])
    expect(failed.stdout).toMatch(/^✗ {2}min_win_rate +>= 0\.5 +0 /m)
    expect(failed.stdout).toMatch(/^✓ {2}min_samples +>= 20 +20 /m)
    expect(failed.stdout.trimEnd().split('\n').at(-1)).toBe('failed: min_win_rate')
    expect(inconclusive.stdout).toMatch(/inconclusive \(p = \d\.\d{3}\)/)
    expect(inconclusive.stdout).toMatch(/^✗ {2}require_conclusive +== true +false /m)
    expect(inconclusive.stdout.trimEnd().split('\n').at(-1)).toBe('inconclusive: only require_conclusive failed')
    expect([failed.code, inconclusive.code]).toEqual([2, 4])
  }, 180_000)

  it('reads its eval from a file, and checks the named candidate', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ratchet-eval-'))
    const file = path.join(folder, 'eval.json')
    const [small, large] = ['sim/quality-0', 'sim/quality-0.999999']
    const body = {
      name: 'Of a file',
      baseline_model: 'sim/quality-0.5',
      candidate_models: [small, large],
      sample_count: 7,
      rubric: 'It is right.',
      judge_model: 'sim/judge-1-1',
      seed: 3,
      sample_filters: { tag: 'support' },
    }
    await writeFile(file, JSON.stringify(body))
    const words = ['eval', 'run', '--file', file, '--samples', '8', '--min-samples', '8', '--no-require-conclusive']
    const [unnamed, named] = await Promise.all([ratchet(...words), ratchet(...words, '--gate-candidate', large)])
    await rm(folder, { recursive: true })
    expect(unnamed).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: --gate-candidate: checks are for one candidate; choose one of ${small}, ${large}\n`,
    })
    const { json } = await api('GET', `/evals/${evalIdIn(named.stderr)}`)
    expect(json).toMatchObject({ ...body, sample_count: 8 })
    expect(named.code).toBe(0)
  }, 180_000)
})

it('stops a deploy when the judge was never measured, or names the first answer', async () => {
  const first = better.map((word) => (word === 'sim/judge-1-1' ? 'sim/judge-first' : word))
  const [unmeasured, unreliable] = await Promise.all([
    ratchet(...better, '--min-win-rate-lower', '0.5'),
    ratchet(...first, '--min-win-rate', '0.45', '--no-require-conclusive', anyJudge),
  ])
  expect(unmeasured.stdout.trimEnd().split('\n').at(-1)).toBe('failed: require_measured_judge')
  expect(unreliable.stdout).toMatch(/^warning: The judge favours the answer that is shown first/m)
  expect(unreliable.stdout.trimEnd().split('\n').at(-1)).toBe('failed: require_reliable_judge')
  expect([unmeasured.code, unreliable.code]).toEqual([2, 2])
}, 180_000)

describe('--json', () => {
  it('prints the eval of the API, with the result of the gate', async () => {
    const [passed, refused] = await Promise.all([
      ratchet('--json', ...better, '--min-samples', '20', anyJudge),
      ratchet('--json', ...worse, '--min-win-rate', '0.5', anyJudge),
    ])
    const found = Eval.extend({ gate: EvalGate }).strict().parse(JSON.parse(passed.stdout))
    expect(found).toMatchObject({ status: 'DONE', gate: { passed: true, eval_id: found.id } })
    const { json: read } = await api('GET', `/evals/${found.id}`)
    expect(JSON.parse(passed.stdout)).toEqual({ ...read, gate: found.gate })
    const lost = Eval.extend({ gate: GateRefusal.loose() }).strict().parse(JSON.parse(refused.stdout))
    expect(lost.gate).toMatchObject({ passed: false, eval_status: 'DONE', message: 'Not proven: min_win_rate.' })
    expect([passed.code, refused.code]).toEqual([0, 2])

    const gate = await ratchet('--json', 'eval', 'gate', found.id, '--min-samples', '20', anyJudge)
    expect([gate.code, EvalGate.parse(JSON.parse(gate.stdout))]).toEqual([0, found.gate])
    const watched = await ratchet('--json', 'eval', 'watch', found.id)
    expect([watched.code, JSON.parse(watched.stdout)]).toEqual([0, read])
    const listed = await ratchet('--json', 'eval', 'list', '--limit', '2', '--status', 'DONE')
    expect(
      listEvals.reply
        .parse(JSON.parse(listed.stdout))
        .data.map(({ id }) => id)
        .toSorted(),
    ).toEqual([found.id, lost.id].toSorted())
  }, 180_000)

  it('prints a refusal to standard error, and nothing to standard output', async () => {
    const missing = await ratchet('--json', 'eval', 'gate', `eval_${'0'.repeat(32)}`, '--min-samples', '1')
    expect(missing).toEqual({ code: 1, stdout: '', stderr: 'error: No eval has this id. (not_found, id)\n' })
  })
})

describe('an eval that is started in the background', () => {
  it('is in the list, fails its gate while it runs, and can be watched until its end', async () => {
    const slow = comparing('sim/quality-0', 'sim/slow-3000')
    const started = await ratchet(...slow, '--detach', '--name', 'Slow one')
    const id = started.stdout.trim()
    expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining(`ratchet eval watch ${id}`) })
    expect(id).toMatch(/^eval_[0-9a-f]{32}$/)
    const [gate, listed] = await Promise.all([
      ratchet('eval', 'gate', id, '--min-samples', '1'),
      ratchet('eval', 'list', '--limit', '1'),
    ])
    expect([gate.code, gate.stdout.trimEnd().split('\n').at(-1)]).toEqual([
      3,
      expect.stringMatching(/^not DONE: the eval is (PENDING|RUNNING)$/),
    ])
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toMatch(new RegExp(`^ID .*\\n${id}  Slow one  (PENDING|RUNNING)  \\d+/20 `))
    const watched = await ratchet('eval', 'watch', id)
    expect(watched.stdout).toContain(`Slow one (${id})\nDONE\n`)
    expect(watched.stderr).toMatch(new RegExp(`^${id}: (PENDING|RUNNING) \\d+/20 `))
    expect(watched.stderr).toMatch(new RegExp(`^${id}: DONE 20/20 100 %.*\\n$`, 'm'))
    expect(watched.code).toBe(0)
  }, 180_000)

  it('exits with 1 when it was cancelled, and with 3 from its gate', async () => {
    const { stdout } = await ratchet(...comparing('sim/quality-0', 'sim/slow-5000'), '--detach')
    const id = stdout.trim()
    await cancel(id)
    const [watched, proven] = await Promise.all([
      ratchet('eval', 'watch', id),
      ratchet('eval', 'watch', id, '--min-samples', '1'),
    ])
    expect(watched.stdout).toMatch(/\nCANCELLED\n/)
    expect([watched.code, proven.code]).toEqual([1, 3])
  }, 180_000)
})

it('estimates the cost of an eval, and starts nothing', async () => {
  const before = (await api('GET', '/evals?limit=1')).json.total
  const [text, json] = await Promise.all([ratchet(...better, '--estimate'), ratchet('--json', ...better, '--estimate')])
  expect(EvalEstimate.parse(JSON.parse(json.stdout))).toMatchObject({ sample_count: 20, eligible_prompts: 30 })
  expect(text.stdout).toMatch(/^answers +\$0\.\d{4}\njudging +\$0\.\d{4}\ntogether +\$0\.\d{4}\n/)
  expect([text.code, json.code, text.stderr, json.stderr]).toEqual([0, 0, '', ''])
  expect((await api('GET', '/evals?limit=1')).json.total).toBe(before)
})

describe('a refused caller', () => {
  it('receives one line without the key', async () => {
    const apiKey = `${workspace.apiKey.slice(0, -6)}AAAAAA`
    const commands = [better, ['eval', 'list'], ['eval', 'watch', `eval_${'0'.repeat(32)}`]]
    for (const words of commands) {
      const { code, stdout, stderr } = await ratchetOf(fleet, { apiKey })(...words)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^error: [^\n]*invalid_api_key[^\n]*\n$/)
      expect(stderr).not.toContain(apiKey.slice(8))
    }
  }, 180_000)

  it('receives the required role: members can read what owners and admins start', async () => {
    const member = ratchetOf(fleet, await workspace.addMember('member'))
    const { json } = await api('GET', '/evals?limit=1&status=DONE')
    const [{ id }] = json.data as Json[]
    const [refused, listed, watched] = await Promise.all([
      member(...better),
      member('eval', 'list'),
      member('eval', 'watch', id),
    ])
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toMatch(/^error: [^\n]*(owner|admin)[^\n]*\(insufficient_permissions\)\n$/)
    expect([listed.code, watched.code]).toEqual([0, 0])
    expect(listed.stdout).toContain(id)
  }, 180_000)

  it('receives the problem of wrong arguments, with exit code 1 and never 2', async () => {
    const refusals = [
      [['eval', 'run', '--baseline', 'sim/medium', '--samples', '4'], '--samples'],
      [['eval', 'gate', 'eval_1', '--min-samples', '1'], 'id'],
      [['eval', 'run', '--baseline', 'sim/medium'], '--candidate'],
      [[...comparing('sim/medium', 'sim/nothing'), '--min-samples', '1'], 'model_not_found'],
      [[...comparing('sim/medium', 'sim/large'), '--tag', 'nobody'], 'distinct prompts'],
    ] as const
    for (const [words, place] of refusals) {
      const { code, stdout, stderr } = await ratchet(...words)
      expect([words, code, stdout]).toEqual([words, 1, ''])
      expect(stderr).toMatch(/^error: [^\n]+\n$/)
      expect(stderr).toContain(place)
    }
  }, 180_000)
})
