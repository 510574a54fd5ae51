import { failedFigure } from '../measure/measure-target.ts'
import { median } from '../measure/percentile.ts'
import { type Sample, summarize } from '../measure/sample.ts'
import { othersFigure } from '../measure/watch-cpu.ts'
import { format } from './render-report.ts'

/** Share of the targets' core used by other processes above which the figures are not those of a quiet machine. */
const disturbedPercent = 5

/**
 * Remarks that follow from the values: failures, disturbances, and how the figures of the fleet are divided.
 *
 * @param processes names of the fleet's processes
 */
export function describeSamples(samples: readonly Sample[], processes: readonly string[]): string[] {
  return [
    ...describeFailures(samples),
    ...describeOthers(samples),
    ...describeUpstream(samples),
    ...describeParts({ samples, processes, figure: 'chat-cpu-us', title: "Of Ratchet's CPU per request, in µs" }),
    ...describeParts({ samples, processes, figure: 'idle-pss-mb', title: "Of Ratchet's memory after the load, in MB" }),
  ]
}

function describeFailures(samples: readonly Sample[]): string[] {
  const failed = samples.filter(({ figure, value }) => figure === failedFigure && value > 0)
  const count = failed.reduce((sum, { value }) => sum + value, 0)
  const where = [...new Set(failed.map(({ target }) => target))].join(', ')
  return failed.length === 0 ? [] : [`${count} requests were not answered with a whole 200 (${where}).`]
}

/** On a shared core all work costs more, because caches are cold and each wake-up does less work. */
function describeOthers(samples: readonly Sample[]): string[] {
  const shares = samples.filter(({ figure }) => figure === othersFigure).map(({ value }) => value)
  if (shares.length === 0 || median(shares) < disturbedPercent) return []
  return [`Other programs had ${format(median(shares))} % of the targets' core: only the ratios mean anything.`]
}

function describeUpstream(samples: readonly Sample[]): string[] {
  const cost = summarize(samples, 'direct', 'chat-cpu-us')
  if (cost === null) return []
  return [`The scripted upstream itself, counted nowhere above, costs ${format(cost.median)} µs per request.`]
}

interface Parts {
  readonly samples: readonly Sample[]
  readonly processes: readonly string[]
  readonly figure: string
  readonly title: string
}

function describeParts({ samples, processes, figure, title }: Parts): string[] {
  const parts = processes.flatMap((name) => {
    const part = summarize(samples, 'fleet', `${figure} of ${name}`)
    return part === null ? [] : [`${name} ${format(part.median)}`]
  })
  return parts.length === 0 ? [] : [`${title}: ${parts.join(', ')}.`]
}
