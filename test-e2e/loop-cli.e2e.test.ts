import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { sendTraffic } from './judged-traffic.ts'
import { type Ratchet, ratchetOf } from './ratchet-command.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let ratchet: Ratchet

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  ratchet = ratchetOf(fleet, workspace)
  await sendTraffic(fleet, workspace, { model: 'sim/quality-0.5', count: 50, tag: 'support' })
}, 300_000)

/** The standard output of a command that succeeds. */
async function printed(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await ratchet(...words)
  expect({ words, code, stderr: code === 0 ? '' : stderr }).toEqual({ words, code: 0, stderr: '' })
  return stdout
}

it('the whole loop is done by commands: log, judge, grades, calibration, scan, dataset, eval, alias', async () => {
  await eventually(async () => expect(await printed('logs', 'list', '--limit', '5')).toContain('5 of 50'))
  const [, first = ''] = (await printed('logs', 'list', '--tag', 'support')).split('\n')
  const id = first.split(' ')[0] ?? ''
  expect(await printed('logs', 'show', id)).toContain('assistant:')
  expect(await printed('logs', 'segments')).toContain('EXCHANGES')
  expect(await printed('models', 'list')).toContain('sim/large')

  const prompt = ['--prompt', 'The answer is wrong.', '--model', 'sim/judge-1-1']
  const judge = (await printed('judge', 'create', 'Wrong', ...prompt)).trim()
  const keys = `${'pf'.repeat(11)}srtoo short\nq`
  const graded = await ratchetOf(fleet, workspace, keys)('grade', judge)
  expect([graded.code, graded.stdout]).toEqual([0, 'graded 23: 11 pass, 12 fail\n'])
  expect(graded.stderr).toContain('ANSWER')
  expect(await printed('judges', 'list')).toContain(judge)
  expect(await printed('judge', 'plan', judge)).toContain('grades')
  const calibration = await printed('judge', 'calibrate', judge)
  expect(calibration).toMatch(/^trust +(misaligned|under-measured|borderline)/m)
  expect(calibration).toMatch(/^same verdict when asked again +100\.0 % \(83\.2 to 100\.0\), 20 rows judged twice/m)
  expect(await printed('judge', 'scan', judge, '--samples', '20')).toMatch(/^all +20 /m)
  expect(await printed('judge', 'improve', judge, '--iterations', '1')).toContain('prompt')
  expect(await printed('judge', 'monitor', judge, 'on', '--percent', '10')).toContain('10 %')

  expect(await printed('datasets', 'from-logs', 'mine', '--tag', 'support', '--holdout', '20')).toMatch(
    /^matched +50$/m,
  )
  const datasets = await printed('datasets', 'list')
  expect(datasets).toContain('mine')
  const dataset = /^(ds_\S+) +mine /m.exec(datasets)?.[1] ?? ''
  const examples = (await printed('datasets', 'export', dataset)).trimEnd().split('\n')
  expect(Object.keys(JSON.parse(examples[0] ?? ''))).toContain('messages')
  const logged = (await printed('logs', 'export', '--format', 'entries', '--tag', 'support', '--max', '7')).trimEnd()
  expect(logged.split('\n').map((line) => JSON.parse(line).tag)).toEqual(Array.from({ length: 7 }, () => 'support'))
  expect(await printed('logs', 'export', '--format', 'csv', '--max', '3')).toMatch(/^id,.*\r\n(log_.*\r\n){3}\n?$/)
  expect(await printed('traces', 'list')).toContain('TRACE'.toLowerCase())
  const models = ['--baseline', 'sim/quality-0', '--candidate', 'sim/quality-1', '--judge-model', 'sim/judge-1-1']
  const evaluated = await printed('evals', 'run', ...models, '--rubric', 'The answer is right.', '--samples', '20')
  expect(evaluated).toContain('sim/quality-1')
  const evalId = (await printed('evals', 'list')).split('\n')[1]?.split(' ')[0] ?? ''
  expect(JSON.parse(await printed('evals', 'export', evalId)).report.candidates).toHaveProperty('sim/quality-1')
  expect(await printed('evals', 'export', evalId, '--format', 'csv')).toMatch(/^model,.*\r\nsim\/quality-1,/)
  const samples = (await printed('evals', 'export', evalId, '--format', 'samples')).trimEnd().split('\n')
  expect(samples.map((line) => JSON.parse(line).object)).toEqual(Array.from({ length: 20 }, () => 'eval.sample'))
  await printed('aliases', 'set', 'support', '--target', 'sim/quality-1')
  expect(await printed('alias', 'events', 'support')).toContain('created by')
  await printed('webhooks', 'create', 'https://example.com/hook', '--events', 'eval.done')
  expect(await printed('webhooks', 'list')).toContain('eval.done')
}, 300_000)
