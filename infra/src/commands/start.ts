import path from 'node:path'
import { banner } from '../fleet/banner.ts'
import { chooseModel } from '../fleet/choose-model.ts'
import { dataPaths, repositoryRoot } from '../fleet/data-paths.ts'
import { reportToParent, startDetached } from '../fleet/detached.ts'
import type { FleetInfo } from '../fleet/fleet-file.ts'
import { runFleet } from '../fleet/run-fleet.ts'
import { describeRunning } from '../fleet/running-fleet.ts'
import { parseStartOptions } from '../fleet/start-options.ts'
import { alertRulesFile } from '../monitoring/alert-rules.ts'
import { dashboardsFolder } from '../monitoring/dashboards.ts'
import { telemetryGuide, writePrometheusConfig } from '../monitoring/telemetry-guide.ts'
import { findProgram } from '../processes/find-program.ts'
import { runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'

const args = process.argv.slice(2)
const data = dataPaths(process.env.RATCHET_DATA_DIR)
const parent = reportToParent()

/** On one's own machine every trace is recorded, so that each request can be found. */
const everyTrace = { OTEL_TRACES_SAMPLER_ARG: '1' }

await runCommand(start, parent?.failed)

async function start(): Promise<void> {
  const options = parseStartOptions(args)
  if (options.detach && parent === null) return startDetached({ data, script: import.meta.filename, args })
  const terminal = stdoutTerminal(parent?.write)
  const env = options.telemetry ? { ...everyTrace, ...process.env } : process.env
  const result = await runFleet({
    data,
    env,
    start: options,
    terminal,
    showLogs: parent === null,
    colours: process.stdout.isTTY && (process.env.NO_COLOR ?? '') === '',
    async onReady(info) {
      const model = await chooseModel(info, process.env)
      const dataFolder = path.relative(repositoryRoot, data.folder)
      terminal.line(banner({ info, model, dataFolder, detached: parent !== null, env: process.env }))
      if (options.telemetry) terminal.line(guideTo(info, env))
      parent?.ready()
    },
  })
  if (result.kind === 'taken') terminal.line(await describeRunning({ data, options, supervisor: result.supervisor }))
  parent?.ready()
}

function guideTo({ metrics_urls: metricsUrls }: FleetInfo, env: Readonly<Record<string, string | undefined>>): string {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT ?? ''
  const places = {
    metricsUrls,
    folder: data.telemetry,
    alertRules: alertRulesFile,
    dashboards: dashboardsFolder,
    otlpEndpoint: endpoint === '' ? null : endpoint,
    sampled: env.OTEL_TRACES_SAMPLER_ARG ?? '',
    prometheus: findProgram('prometheus'),
  }
  return telemetryGuide(places, writePrometheusConfig(places))
}
