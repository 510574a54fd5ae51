import { type Calibration, getCalibration, startCalibration } from '@ratchet/contracts/calibrations'
import { type Criterion, getCriterion } from '@ratchet/contracts/criteria'
import { formatTable } from '../answer.ts'
import type { Reply } from '../api/api-client.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { inUsd, withInterval } from '../text/in-words.ts'
import { addJudgeArgument } from './judge-id.ts'
import { exitOf, failureText, watchRun } from './watch-run.ts'

export function calibrateJudge({ group, run }: ApiCommands): void {
  addJudgeArgument(
    group.command('calibrate').description('Measure a judge against the grades, and print what that proves.'),
  ).action((id: string) =>
    run(async (deps) => {
      const api = await deps.connect()
      const first = (await api.call(startCalibration, { params: { id }, body: {} })) as Reply<Calibration>
      const last = await watchRun<Calibration>(deps, api, {
        first,
        read: (client, options) =>
          client.call(getCalibration, { params: { id, calibration_id: first.value.id } }, options),
        progressOf: ({ progress: { done, total } }) => [done, total],
      })
      if (last === null) return null
      const { value: judge } = await api.call(getCriterion, { params: { id } })
      if (last.value.status !== 'DONE') return { json: last.json, text: failureText(last.value), ...exitOf(last.value) }
      const ends = (ci: readonly [number, number] | null) =>
        ci === null ? null : ([ci[0] * 100, ci[1] * 100] as const)
      const rate = (value: number | null, ci: readonly [number, number] | null) =>
        withInterval(value === null ? null : value * 100, ends(ci))
      const text = formatTable([
        ['trust', judge.trust],
        ['found of the bad answers (TPR)', rate(judge.tpr, judge.tpr_ci)],
        ['passed of the good answers (TNR)', rate(judge.tnr, judge.tnr_ci)],
        ['same verdict when asked again', repeatabilityText(judge, rate)],
        ['grades', String(judge.alignment_n ?? 0)],
        ['may act', judge.can_act ? 'yes' : `no: ${judge.cannot_act_reason ?? 'unknown'}`],
        ['further grades needed', neededText(judge.fail_grades_needed, judge.pass_grades_needed)],
        ['cost', inUsd(last.value.cost_usd)],
      ])
      return { json: last.json, text }
    }),
  )
}

type RateText = (value: number | null, ci: readonly [number, number] | null) => string

function repeatabilityText({ repeatability: known }: Pick<Criterion, 'repeatability'>, rateText: RateText): string {
  return known === null ? '-' : `${rateText(known.rate, known.ci)}, ${known.rows} rows judged twice`
}

function neededText(fails: number | null, passes: number | null): string {
  const parts = [fails === null ? null : `${fails} of bad answers`, passes === null ? null : `${passes} of good ones`]
  const known = parts.filter((part) => part !== null)
  return known.length === 0 ? '-' : known.join(', ')
}
