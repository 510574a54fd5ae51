import { type Criterion, monitorCriterion } from '@ratchet/contracts/criteria'
import type { ApiCommands } from '../api/api-commands.ts'
import { number } from '../api/value-parsers.ts'
import { parseSwitch } from '../parse-options.ts'
import { inShare, inUsd } from '../text/in-words.ts'
import { addJudgeArgument } from './judge-id.ts'

interface Options {
  readonly percent?: number
  readonly cap?: number
}

export function monitorJudge({ group, run }: ApiCommands): void {
  const { online_percent: percent, online_cap_usd: cap } = monitorCriterion.body.shape
  addJudgeArgument(group.command('monitor').description('Judge a share of new traffic as it arrives, or stop that.'))
    .argument('<on|off>', 'whether it runs', parseSwitch)
    .option('--percent <percent>', 'share of the traffic', number(percent))
    .option('--cap <usd>', 'maximum cost per week; 0 for none', number(cap))
    .action((id: string, isOn: boolean, options: Options) =>
      run(async ({ connect }) => {
        const body = {
          online_enabled: isOn,
          ...(options.percent === undefined ? {} : { online_percent: options.percent }),
          ...(options.cap === undefined ? {} : { online_cap_usd: options.cap }),
        }
        const api = await connect()
        const { value, json } = await api.call(monitorCriterion, { params: { id }, body })
        return { json, text: monitorText(value) }
      }),
    )
}

function monitorText({ name, online_enabled: isOn, online_percent: percent, ...judge }: Criterion): string {
  if (!isOn) return `${name} judges no new traffic`
  const cap = judge.online_cap_usd === 0 ? 'without a cap' : `at most ${inUsd(judge.online_cap_usd)} a week`
  return `${name} judges ${percent} % of new traffic, ${cap}\n${detectableText(judge.drift_detectable)}`
}

function detectableText(detectable: Criterion['drift_detectable']): string {
  if (detectable === null) return 'which drop it can find is not known yet'
  const { drop, within_days: days, chance, verdicts_per_day: pace } = detectable
  return `with ${pace.toFixed(0)} verdicts a day it finds a drop of ${inShare(drop)} within ${days} days with a chance of ${inShare(chance)}; a larger share finds smaller ones`
}
