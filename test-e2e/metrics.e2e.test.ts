import { alertExpressions } from '@ratchet/infra/monitoring/alert-rules'
import { checkPromql } from '@ratchet/infra/monitoring/check-promql'
import { dashboardExpressions } from '@ratchet/infra/monitoring/dashboards'
import { readMetricsPages } from '@ratchet/infra/monitoring/metrics-page'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { sendTraffic } from './judged-traffic.ts'
import { type FleetMember, type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
}, 300_000)

const processes = () => [
  ...fleet.edges,
  ...[fleet.inference, fleet.logging, fleet.loggingWorker, fleet.judging, fleet.judgingWorker],
  ...[fleet.eval, fleet.evalWorker, fleet.alias, fleet.aliasWorker, fleet.training, fleet.trainingWorker],
  fleet.voiceWorker,
]

async function scrape({ metricsUrl }: Pick<FleetMember, 'metricsUrl'>): Promise<string> {
  return (await fetch(metricsUrl)).text()
}

/** The value of a series; null when it is not exposed. */
async function seriesOf(process: Pick<FleetMember, 'metricsUrl'>, series: string): Promise<number | null> {
  const line = (await scrape(process)).split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length))
}

it('exposes every name that alerts and dashboards use', async () => {
  await sendTraffic(fleet, workspace, { model: 'sim/echo', count: 2 })
  await (await postChat(fleet, { model: 'sim/echo', apiKey: workspace.apiKey, stream: true })).text()
  // Retries and fallbacks have a series only after the first one.
  const failing = { model: 'sim/fail-500', body: { models: ['sim/fail-500', 'sim/echo'] } }
  await (await postChat(fleet, { ...failing, apiKey: workspace.apiKey })).text()

  const exposed = await eventually(async () => {
    const metrics = readMetricsPages(await Promise.all(processes().map(scrape)))
    return metrics.get('ratchet_work_items_unfinished')?.has('queue') === true ? metrics : null
  })

  const expressions = [...alertExpressions(), ...dashboardExpressions()]
  expect(expressions.length).toBeGreaterThan(100)
  expect(checkPromql(expressions, exposed)).toEqual([])
}, 180_000)

it('exposes only its own names and those of OpenTelemetry and Node', async () => {
  const names = [...readMetricsPages(await Promise.all(processes().map(scrape))).keys()]
  const isNamed = (name: string) => /^(?:ratchet|http_server|gen_ai_client|process|nodejs)_/.test(name)
  expect(names.filter((name) => !isNamed(name))).toEqual([])
})

it('exposes the unfinished work of every queue for scalers, on the ports of the APIs', async () => {
  const queues = {
    judging: ['judge', 'judge-run'],
    eval: ['eval-sample', 'eval-run'],
    alias: ['shadow', 'webhook-delivery'],
  }
  for (const [service, names] of Object.entries(queues)) {
    for (const queue of names) {
      const process = fleet[service as keyof typeof queues]
      await eventually(async () => {
        expect(
          await seriesOf(process, `ratchet_work_items_unfinished{queue="${queue}",service="${service}"}`),
        ).toBeGreaterThanOrEqual(0)
      })
    }
  }
})

interface Answer {
  readonly usage: { readonly completion_tokens: number; readonly cost_usd: number }
}

it('counts durations, tokens and costs of provider calls by the model of the catalog', async () => {
  const labels = 'gen_ai_provider_name="sim",gen_ai_operation_name="chat",gen_ai_request_model="sim/small"'
  const calls = `gen_ai_client_operation_duration_seconds_count{${labels},key_owner="platform",error_type="",service="inference"}`
  const output = `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="output",service="inference"}`
  const charged = 'ratchet_ledger_charged_usd_total{kind="chat",service="inference"}'
  const read = (series: string) => seriesOf(fleet.inference, series).then((value) => value ?? 0)
  const before = { calls: await read(calls), output: await read(output), charged: await read(charged) }

  const response = await postChat(fleet, { model: 'sim/small', apiKey: workspace.apiKey })
  const { usage } = (await response.json()) as Answer

  expect((await read(calls)) - before.calls).toBe(1)
  expect((await read(output)) - before.output).toBe(usage.completion_tokens)
  expect((await read(charged)) - before.charged).toBeCloseTo(usage.cost_usd, 9)
})

it('has one series for all models of a family, because clients can invent their names', async () => {
  for (const model of ['sim/pace-1', 'sim/pace-2', 'sim/pace-3']) {
    await (await postChat(fleet, { model, apiKey: workspace.apiKey, body: { max_tokens: 2 } })).text()
  }
  const page = await scrape(fleet.inference)
  expect(page).not.toContain('sim/pace-')
  expect(page).toContain('gen_ai_request_model="other"')
})
