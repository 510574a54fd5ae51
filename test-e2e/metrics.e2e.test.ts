import { alertExpressions } from '@ratchet/infra/alert-rules'
import { checkPromql } from '@ratchet/infra/check-promql'
import { dashboardExpressions } from '@ratchet/infra/dashboards'
import { readMetricsPages } from '@ratchet/infra/metrics-page'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { sendTraffic } from './judged-traffic.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet
let workspace: DemoWorkspace

beforeAll(async () => {
  fleet = await startFleet({ judges: true, evals: true, aliases: true })
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
}, 120_000)
afterAll(() => fleet?.stop(), 60_000)

const processes = () => [
  ...fleet.edges,
  ...[fleet.inference, fleet.logging, fleet.loggingWorker, fleet.judging, fleet.judgingWorker],
  ...[fleet.eval, fleet.evalWorker, fleet.alias, fleet.aliasWorker],
]

async function scrape({ url }: { readonly url: string }): Promise<string> {
  return (await fetch(`${url}/metrics`)).text()
}

/** The value of a series; null when it is not shown. */
async function seriesOf(process: { readonly url: string }, series: string): Promise<number | null> {
  const line = (await scrape(process)).split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length))
}

it('every name in an alert or on a dashboard is one that the fleet exposes', async () => {
  await sendTraffic(fleet, workspace, { model: 'sim/echo', count: 2 })
  await (await postChat(fleet, { model: 'sim/echo', apiKey: workspace.apiKey, stream: true })).text()
  // Retries and fallbacks have a series once there was one.
  const failing = { model: 'sim/fail-500', body: { models: ['sim/fail-500', 'sim/echo'] } }
  await (await postChat(fleet, { ...failing, apiKey: workspace.apiKey })).text()

  const exposed = await eventually(async () => {
    const metrics = readMetricsPages(await Promise.all(processes().map(scrape)))
    return metrics.get('work_unfinished')?.has('queue') === true ? metrics : null
  })

  const expressions = [...alertExpressions(), ...dashboardExpressions()]
  expect(expressions.length).toBeGreaterThan(100)
  expect(checkPromql(expressions, exposed)).toEqual([])
}, 60_000)

it('tells scalers of every queue how much there is to do, on the ports of the APIs', async () => {
  const queues = {
    judging: ['judge', 'judge-run'],
    eval: ['eval-sample', 'eval-run'],
    alias: ['shadow', 'webhook-delivery'],
  }
  for (const [service, names] of Object.entries(queues)) {
    for (const queue of names) {
      const process = fleet[service as keyof typeof queues]
      await eventually(async () => {
        expect(await seriesOf(process, `work_unfinished{queue="${queue}",service="${service}"}`)).toBe(0)
      })
    }
  }
})

interface Answer {
  readonly usage: { readonly completion_tokens: number; readonly cost_usd: number }
}

it('counts what calls of providers took and used, and what they cost, by the model of the catalog', async () => {
  const labels = 'gen_ai_provider_name="sim",gen_ai_operation_name="chat",gen_ai_request_model="sim/small"'
  const calls = `gen_ai_client_operation_duration_seconds_count{${labels},key_owner="platform",error_type="",service="inference"}`
  const output = `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="output",service="inference"}`
  const charged = 'ledger_charged_usd_total{kind="chat",service="inference"}'
  const before = (await seriesOf(fleet.inference, charged)) ?? 0

  const response = await postChat(fleet, { model: 'sim/small', apiKey: workspace.apiKey })
  const { usage } = (await response.json()) as Answer

  expect(await seriesOf(fleet.inference, calls)).toBe(1)
  expect(await seriesOf(fleet.inference, output)).toBe(usage.completion_tokens)
  expect(((await seriesOf(fleet.inference, charged)) ?? 0) - before).toBeCloseTo(usage.cost_usd, 9)
})

it('keeps no series for what clients think of: members of families are one', async () => {
  for (const model of ['sim/pace-1', 'sim/pace-2', 'sim/pace-3']) {
    await (await postChat(fleet, { model, apiKey: workspace.apiKey, body: { max_tokens: 2 } })).text()
  }
  const page = await scrape(fleet.inference)
  expect(page).not.toContain('sim/pace-')
  expect(page).toContain('gen_ai_request_model="other"')
})
