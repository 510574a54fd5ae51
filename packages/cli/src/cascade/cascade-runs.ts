import {
  type CascadeCalibration,
  type CascadeScan,
  calibrateCascade,
  getCascade,
  getCascadeScan,
  startCascadeScan,
} from '@ratchet/contracts/cascades'
import type { Command } from 'commander'
import { formatTable } from '../answer.ts'
import type { Reply } from '../api/api-client.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { number } from '../api/value-parsers.ts'
import { exitOf, failureText, watchRun } from '../judge/watch-run.ts'
import { inShare, inUsd } from '../text/in-words.ts'

type AddArgument = (command: Command) => Command

interface CalibrateOptions {
  readonly maxCost?: number
}

interface ScanOptions extends CalibrateOptions {
  readonly samples?: number
}

const maxCost = calibrateCascade.body.shape.max_cost_usd
const progressOf = ({ progress: { done, total } }: CascadeCalibration | CascadeScan) => [done, total] as const

export function calibrateCascadeCommand({ group, run }: ApiCommands, addArgument: AddArgument): void {
  const command = group
    .command('calibrate')
    .description('Judge what people graded, and print which promise that proves.')
  addArgument(command)
    .option('--max-cost <usd>', 'maximum cost', number(maxCost))
    .action((id: string, options: CalibrateOptions) =>
      run(async (deps) => {
        const api = await deps.connect()
        const params = { id }
        const first = (await api.call(calibrateCascade, { params, body: costOf(options) })) as Reply<CascadeCalibration>
        const last = await watchRun<CascadeCalibration>(deps, api, {
          first,
          read: async (client, more) => {
            const found = await client.call(getCascade, { params }, more)
            const value = found.value.calibration ?? first.value
            return { ...found, value, json: value }
          },
          progressOf,
        })
        return last === null ? null : { json: last.json, text: calibrationText(last.value), ...exitOf(last.value) }
      }),
    )
}

export function scanCascadeCommand({ group, run }: ApiCommands, addArgument: AddArgument): void {
  const command = group.command('scan').description('Decide a random sample of the log, and print the fail rate.')
  addArgument(command)
    .option('--samples <count>', 'number of exchanges or runs', number(startCascadeScan.body.shape.sample_count))
    .option('--max-cost <usd>', 'maximum cost', number(maxCost))
    .action((id: string, { samples, ...options }: ScanOptions) =>
      run(async (deps) => {
        const api = await deps.connect()
        const body = { ...costOf(options), ...(samples === undefined ? {} : { sample_count: samples }) }
        const first = (await api.call(startCascadeScan, { params: { id }, body })) as Reply<CascadeScan>
        const params = { id, cascade_scan_id: first.value.id }
        const last = await watchRun<CascadeScan>(deps, api, {
          first,
          read: (client, more) => client.call(getCascadeScan, { params }, more),
          progressOf,
        })
        return last === null ? null : { json: last.json, text: scanText(last.value), ...exitOf(last.value) }
      }),
    )
}

function costOf({ maxCost: usd }: CalibrateOptions) {
  return usd === undefined ? {} : { max_cost_usd: usd }
}

function calibrationText(found: CascadeCalibration): string {
  if (found.status !== 'DONE') return failureText(found)
  return formatTable([
    ['proven', found.is_proven ? 'yes' : 'no: no thresholds keep the promise'],
    ['graded items', String(found.graded)],
    ['decides of the traffic', inShare(found.coverage)],
    ['agrees with people', withEnds(found.agreement, found.agreement_ci)],
    ['saves of the cost', inShare(found.saving)],
    ['cost', inUsd(found.cost_usd)],
  ])
}

function scanText(found: CascadeScan): string {
  if (found.status !== 'DONE') return failureText(found)
  return formatTable([
    ['decided', String(found.decided)],
    ['for people', String(found.undecided)],
    ['fails of the decided', inShare(found.raw_fail_rate)],
    ['corrected', withEnds(found.corrected_fail_rate, found.corrected_ci)],
    ['cost', inUsd(found.cost_usd)],
  ])
}

function withEnds(rate: number | null, ends: readonly [number, number] | null): string {
  return ends === null ? inShare(rate) : `${inShare(rate)} (${inShare(ends[0])} to ${inShare(ends[1])})`
}
