import { AliasGate } from '@ratchet/contracts/alias-gate'
import { Alias, listAliasEvents } from '@ratchet/contracts/aliases'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { apiOf, calibrate, createJudge, gradeListed, sendTraffic, untilOver } from './judged-traffic.ts'
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
}, 300_000)

const set = (name: string, ...flags: readonly string[]) => ratchet('alias', 'set', name, ...flags)
const read = async (name: string) => {
  const { json } = await apiOf(fleet, workspace)('GET', `/aliases/${name}`)
  return Alias.parse(json)
}
/** Sets the policy in the database, like the operator. */
const setPolicy = (policy: string) =>
  ratchet(
    ...['admin', 'workspace', 'set', '--workspace', workspace.slug, '--evidence-policy', policy],
    ...['--database-url', fleet.databaseUrl],
  )

it('creates, changes, rolls back and deletes an alias', async () => {
  const { id } = await createJudge(apiOf(fleet, workspace), 'sim/judge-1-1')
  expect(await set('life', '--target', 'sim/quality-1', '--description', 'Helps.')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^created life \(version 1\)\n/),
  })
  const canary = ['--canary', 'sim/quality-0.9', '--percent', '10', '--gate', id, '--max-cost-ratio', '2']
  const changed = await set('life', ...canary)
  expect(changed).toMatchObject({ code: 0, stderr: '' })
  expect(changed.stdout).toContain('  canary_percent     0 -> 10\n')
  expect(await read('life')).toMatchObject({
    description: 'Helps.',
    target_model: 'sim/quality-1',
    canary_model: 'sim/quality-0.9',
    canary_percent: 10,
    gate_mode: 'recommend',
    gate_criterion_id: id,
    version: 2,
  })
  const gate = await ratchet('alias', 'gate', 'life')
  expect([gate.code, gate.stdout]).toEqual([0, expect.stringMatching(/^life: collecting \(recommend\)\n/)])
  const asJson = await ratchet('alias', 'gate', 'life', '--json')
  expect(AliasGate.parse(JSON.parse(asJson.stdout))).toMatchObject({ alias: 'life', margin: 0.05 })
  expect((await ratchet('alias', 'list')).stdout).toMatch(/^life +sim\/quality-1 +sim\/quality-0\.9 10 % +recommend: /m)
  expect((await ratchet('alias', 'rollback', 'life', '--reason', 'enough')).stdout).toBe(
    'all requests of life go to sim/quality-1 (version 3)\n',
  )
  expect((await ratchet('alias', 'gate', 'life')).code).toBe(1)
  expect((await ratchet('alias', 'delete', 'life')).stdout).toBe('deleted life\n')
  expect(await ratchet('alias', 'gate', 'life')).toMatchObject({ code: 3, stdout: '' })
  const events = await ratchet('alias', 'events', 'life', '--json')
  const { data } = listAliasEvents.reply.parse(JSON.parse(events.stdout))
  expect(data.map(({ kind }) => kind)).toEqual(['delete', 'rollback', 'canary_set', 'created'])
  const reported = (await ratchet('alias', 'events', 'life')).stdout
  expect(reported).toContain('  canary_percent  10 -> 0\n  reason: enough\n')
}, 180_000)

it('changes only the given settings, and only the version that it read', async () => {
  await set('kept', '--target', 'sim/quality-1', '--shadow', 'sim/quality-0', '--shadow-percent', '5')
  await set('kept', '--sticky-by', 'trace')
  expect(await read('kept')).toMatchObject({ shadow_model: 'sim/quality-0', shadow_percent: 5, sticky_by: 'trace' })
  expect(await set('kept', '--no-shadow', '--if-match', '1')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: kept is no longer version 1: .+ --if-match 2\n$/),
  })
  await set('kept', '--replace', '--target', 'sim/quality-0.5')
  expect(await read('kept')).toMatchObject({
    shadow_model: null,
    sticky_by: 'request',
    target_model: 'sim/quality-0.5',
  })
}, 180_000)

it('with an evidence policy, changes the target only with an eval, or with force by an owner', async () => {
  const api = apiOf(fleet, workspace)
  await set('proven', '--target', 'sim/quality-0')
  expect((await setPolicy('enforce')).stdout).toContain('repoints        require evidence\n')
  const refused = await set('proven', '--target', 'sim/quality-1')
  expect([refused.code, refused.stdout]).toEqual([
    1,
    expect.stringMatching(/^not proven: [\s\S]+\n {2}eval +A DONE eval/),
  ])
  const graded = { model: 'sim/quality-0.5', tag: 'graded' } as const
  await sendTraffic(fleet, workspace, { ...graded, count: 85, from: 400_000 })
  await sendTraffic(fleet, workspace, { model: 'sim/quality-1', count: 60, tag: 'proof' })
  const criterion = await createJudge(api, 'sim/judge-1-1', { population: graded.tag })
  const compare = async (judge: object) => {
    const models = { baseline_model: 'sim/quality-0', candidate_models: ['sim/quality-1'] }
    const order = { name: 'p', sample_count: 60, sample_filters: { tag: 'proof' }, ...models, ...judge }
    const { json } = await api('POST', '/evals', order)
    expect(await untilOver(api, `/evals/${json.id}`)).toMatchObject({ status: 'DONE' })
  }
  // A judge that always names the first answer, one that was never measured, one that may not act yet, and one that may.
  await compare({ rubric: 'It is right.', judge_model: 'sim/judge-first' })
  await compare({ criterion_id: criterion.id })
  const unproven = await set('proven', '--target', 'sim/quality-1')
  expect([unproven.code, unproven.stdout]).toEqual([
    1,
    expect.stringContaining('no calibration has measured its judge'),
  ])
  await gradeListed(api, criterion.id)
  expect(await calibrate(api, criterion.id)).toMatchObject({ trust: 'trustworthy', can_act: false })
  await compare({ criterion_id: criterion.id })
  const unable = await set('proven', '--target', 'sim/quality-1')
  expect([unable.code, unable.stdout]).toEqual([1, expect.stringContaining('its judge could not act')])
  await sendTraffic(fleet, workspace, { ...graded, count: 200, from: 500_000 })
  await gradeListed(api, criterion.id)
  expect(await calibrate(api, criterion.id)).toMatchObject({ trust: 'trustworthy', can_act: true })
  await compare({ criterion_id: criterion.id })
  expect(await set('proven', '--target', 'sim/quality-1')).toMatchObject({ code: 0 })
  expect((await ratchet('alias', 'events', 'proven')).stdout).toMatch(
    /^ {2}evidence: eval_\w+ proved a win rate above 0\.\d+/m,
  )
  expect((await set('proven', '--target', 'sim/quality-0.5')).code).toBe(1)
  expect(await set('proven', '--target', 'sim/quality-0.5', '--force', '--reason', 'hurry')).toMatchObject({ code: 0 })
  await setPolicy('off')
  expect(await set('proven', '--target', 'sim/quality-0.25')).toMatchObject({ code: 0 })
}, 300_000)
