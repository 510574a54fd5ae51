import { adminAudit, cleanAudit } from './admin-audit.ts'
import { untilInForce } from './alias-propagation.ts'
import { chargedFor } from './improvement/charged-for.ts'
import { gradeAudit, loggedCost, nano, proveOn, reinforce, servedVersionOf } from './improvement/reinforce-by-api.ts'
import { curateScanned, type Improving, improving, scanLogged, train } from './improvement/steps-by-api.ts'
import { gradeTruly, type Json, sendTraffic, untilOver } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { choose } from './workspace-with.ts'

/* From logged traffic over a fine-tuning job and a GRPO run to a model that beats its base, by API alone, with the bill. */

const alias = 'support'
/** Of ten answers of this model three are wrong. */
const base = 'sim/small'
const balanceUsd = 200

let fleet: SharedFleet
let on: Improving

beforeAll(async () => {
  fleet = await shareFleet({ balanceUsd: String(balanceUsd) })
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  on = improving(fleet, { alias, base })
}, 300_000)

it('goes from logged traffic to a better model by supervised training and rewards, and pays what each part says', async () => {
  const { make, api } = on
  await make('PUT', '/aliases', { name: alias, target_model: base, require_evidence: true })
  await untilInForce(api, alias)
  const graded = await sendTraffic(fleet, fleet.workspace, { model: alias, count: 500, tag: 'graded' })
  await gradeTruly(api, graded)
  const rewards = await proveOn(on, 'graded', ['Right', 'sim/judge-1-1'])
  const holdOut = await proveOn(on, 'graded', ['Other', 'sim-anthropic/judge-1-1'])

  const scan = await scanLogged(on, rewards.judge)
  const curated = await curateScanned(on, rewards.judge)
  const tuned = await train(on, curated, { nCheckpoints: 1 })
  await sendTraffic(fleet, fleet.workspace, { model: alias, count: 80, tag: 'held out', from: 5_000 })
  const { dataset: heldOut } = await make('POST', '/datasets/from_logs', {
    name: 'Held out',
    filters: { tag: 'held out' },
  })
  const { estimate, run } = await reinforce(on, {
    version: tuned,
    dataset: curated,
    heldOut,
    rewards: rewards.judge,
    holdOut: holdOut.judge,
  })
  const version = await servedVersionOf(on, run)

  await sendTraffic(fleet, fleet.workspace, { model: alias, count: 300, tag: 'new', from: 10_000 })
  const { dataset } = await make('POST', '/datasets/from_logs', { name: 'Asked since', filters: { tag: 'new' } })
  const { id } = await make('POST', '/evals', {
    name: 'Rewarded against its base',
    baseline_model: base,
    candidate_models: [version.model_id],
    criterion_id: holdOut.judge.id,
    sample_filters: { dataset_id: dataset.id },
    sample_count: 300,
  })
  const compared = await untilOver(api, `/evals/${id}`, 120_000)
  expect(compared).toMatchObject({ status: 'DONE', evidence: { [version.model_id]: { problems: [] } } })
  expect(compared.evidence[version.model_id].win_rate_low).toBeGreaterThan(0.5)
  const adopt = () => api('POST', `${version.path}/adopt`, { aliasName: alias, canaryPercent: 100, reason: 'It won.' })
  expect((await adopt()).json.error).toMatchObject({ code: 'precondition_failed' })
  await gradeAudit(on, run)
  expect((await adopt()).json).toMatchObject({
    model_version: { status: 'adopted' },
    alias: { canary_model: version.model_id, canary_percent: 100 },
  })
  await untilInForce(api, alias)
  await sendTraffic(fleet, fleet.workspace, { model: alias, count: 20, tag: 'after', from: 20_000 })
  const { data: after } = await on.read('/logs?tag=after&content=none')
  expect(new Set(after.map(({ model }: Json) => model))).toEqual(new Set([version.model_id]))

  expect(run.cost_usd + run.judge_cost_usd).toBeLessThanOrEqual(estimate.total_usd * 1.1)
  expect(await adminAudit(fleet, [fleet.workspace])).toEqual(cleanAudit)
  const { byKind, all } = await chargedFor(fleet)
  const judges = [rewards.calibration, holdOut.calibration, scan].map((each) => each.cost_usd)
  expect(byKind).toEqual({
    chat: await loggedCost(on, `alias=${alias}`),
    training: nano(tuned.job.cost_usd) + nano(run.cost_usd),
    eval: nano(compared.cost_usd),
    grpo: nano(run.judge_cost_usd),
    judge: [...judges, compared.judge_cost_usd].reduce((sum, usd) => sum + nano(usd), 0n),
  })
  const { balance } = await ledgerAtRest(fleet, fleet.workspace)
  expect(nano(balanceUsd) - balance).toBe(all)
}, 300_000)
