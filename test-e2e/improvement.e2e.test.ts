import { eventually } from '@ratchet/testing/eventually'
import { untilInForce } from './alias-propagation.ts'
import { openaiFor } from './clients.ts'
import { type AskingProgram, keepAsking } from './improvement/keep-asking.ts'
import {
  compare,
  curate,
  type Improving,
  improving,
  proveJudge,
  train,
  untilLogged,
  untilPromoted,
} from './improvement/steps-by-api.ts'
import { isPaid, isTraced, noticedNothing, storyBalanceUsd } from './improvement/story-checks.ts'
import { createJudge } from './judged-traffic.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { choose } from './workspace-with.ts'

/* The whole circle by API alone: what an alias answered is graded, a judge is proven, a model is trained, compared, and takes its place. */

const alias = 'support'
/** Of ten answers of this model three are wrong. */
const base = 'sim/small'

let fleet: SharedFleet
let on: Improving
let program: AskingProgram

beforeAll(async () => {
  fleet = await shareFleet({ balanceUsd: String(storyBalanceUsd) })
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  on = improving(fleet, { alias, base })
}, 300_000)
afterAll(async () => {
  await program?.stop()
})

it('goes from traffic to a promoted model, and the program that asks the alias notices nothing', async () => {
  const { make, read, api } = on
  await make('PUT', '/aliases', { name: alias, target_model: base, require_evidence: true })
  await untilInForce(api, alias)
  program = keepAsking(openaiFor(fleet), alias)
  await untilLogged(on, 450)
  const judge = await createJudge(api, 'sim/judge-0.98-0.98', { online_percent: 100 })
  await proveJudge(on, judge, 400)
  const dataset = await curate(on, judge)
  const since = new Date()
  const version = await train(on, dataset, { nCheckpoints: 2 })

  const adopt = (body: object) => api('POST', `${version.path}/adopt`, { aliasName: alias, ...body })
  const unproven = await adopt({ canaryPercent: 100 })
  expect([unproven.status, unproven.json.error.code]).toEqual([412, 'precondition_failed'])
  const compared = await compare(on, { version, judge, since, count: 300 })

  expect(new Set(program.answers.map(({ served }) => served))).toEqual(new Set([base]))
  const canary = await adopt({ canaryPercent: 50, gateCriterionId: judge.id, gateMode: 'auto', reason: 'It won.' })
  expect(canary.json).toMatchObject({
    model_version: { status: 'adopted' },
    alias: { target_model: base, canary_model: version.model_id, canary_percent: 50 },
  })
  const promoted = await untilPromoted(on)
  expect(promoted.graded_difference.cs[0]).toBeGreaterThan(-promoted.margin)
  expect(await read(`/aliases/${alias}`)).toMatchObject({ canary_percent: 100, updated_by: 'gate' })
  await untilInForce(api, alias)
  const from = program.answers.length
  await eventually(() => program.answers.length >= from + 50, { withinMs: 30_000 })
  expect(await program.stop()).toEqual([])
  noticedNothing(on, { program, model: version.model_id, from })
  await isTraced(on, version)
  await isPaid(on, { program, job: version.job, compared })
}, 240_000)
