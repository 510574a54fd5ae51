import type { EvalReport } from '@ratchet/contracts/eval-report'
import type { Eval } from '@ratchet/contracts/evals'
import type { ReactNode } from 'react'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count, percent } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { IntervalRows } from '../../../pictures/interval-rows.tsx'
import styles from '../evals.module.css'
import { verdictOf } from '../words.ts'
import { EvidencePart } from './evidence-part.tsx'
import { extraFigures, type Figure, figures } from './figures.ts'
import { PanelPart } from './panel-part.tsx'
import { SegmentsPart } from './segments-part.tsx'

interface ReportProps {
  readonly each: Eval
  readonly report: EvalReport
}

/** What an eval found. Warnings come first, because they say how far the rest can be trusted. */
export function Report({ each, report }: ReportProps): ReactNode {
  const found = Object.entries(report.candidates)
  const rows = found.flatMap(([label, { win_rate: value, win_rate_ci: interval, ...rest }]) =>
    value === null || interval === null
      ? []
      : [{ label, value, interval, state: verdictOf({ ...rest, win_rate: value }).state }],
  )
  return (
    <>
      {report.warnings.map((warning) => (
        <Notice key={warning} state="borderline">
          {warning}
        </Notice>
      ))}
      <Card title={`Win rate against ${report.baseline.model}`}>
        <ul className={styles.orders}>
          {found.map(([model, candidate]) => (
            <li key={model}>
              <Verdict model={model} report={candidate} baseline={report.baseline.model} />
            </li>
          ))}
        </ul>
        {rows.length > 0 && (
          <IntervalRows
            title={`Win rate against ${report.baseline.model}`}
            rows={rows}
            reference={0.5}
            format={percent}
          />
        )}
        <p className="dimmed">
          {count(report.samples_judged)} of {count(report.samples_total)} samples have a verdict on every candidate
          {report.samples_failed > 0 && `, ${count(report.samples_failed)} were not finished`}
          {(report.samples_skipped ?? 0) > 0 && `, ${count(report.samples_skipped ?? 0)} were not needed`}. This number
          can prove a win rate from <span data-testid="smallest-provable">{provableText(report)}</span> on.
          {report.multiplicity === 'holm' && ' With several candidates, p-values and intervals are adjusted.'}
        </p>
      </Card>
      <Card title="Figures">
        <FigureTable report={report} figures={[...figures, ...extraFigures(found.map(([, each]) => each))]} />
      </Card>
      {found.map(([model]) => {
        const evidence = each.evidence?.[model]
        return evidence && <EvidencePart key={model} model={model} evidence={evidence} />
      })}
      {found.map(([model, { panel }]) => panel && <PanelPart key={model} model={model} panel={panel} each={each} />)}
      {found.map(([model, { segments }]) => segments && <SegmentsPart key={model} model={model} segments={segments} />)}
    </>
  )
}

function provableText({ smallest_provable: distance }: EvalReport): string {
  return `${((0.5 + distance) * 100).toFixed(1)} %`
}

interface VerdictProps {
  readonly model: string
  readonly baseline: string
  readonly report: EvalReport['candidates'][string]
}

function Verdict({ model, baseline, report }: VerdictProps): ReactNode {
  const { word, state } = verdictOf(report)
  return (
    <>
      <strong>{model}</strong> <StateLabel state={state}>{word}</StateLabel>{' '}
      {state === 'open' ? `about ${baseline}` : `than ${baseline}`.replace('not worse than', 'than')}
      {report.judge_unreliable && ' · the judge contradicts itself too often'}
      {report.judge_biased && ' · the judge favours a place'}
    </>
  )
}

interface FigureTableProps {
  readonly report: EvalReport
  readonly figures: readonly Figure[]
}

function FigureTable({ report, figures: shown }: FigureTableProps): ReactNode {
  const { baseline, candidates } = report
  const found = Object.entries(candidates)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls sideways on phones, so the keyboard must reach it.
    <section className={styles.scroll} tabIndex={0} aria-label="Figures of all candidates">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">With 95 % intervals</th>
            {found.map(([model]) => (
              <th key={model} scope="col">
                {model}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ name, of }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {found.map(([model, candidate]) => (
                <td key={model}>{of(candidate)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="dimmed">
        {baseline.model}: {moneyText(microOfUsd(baseline.cost_usd))}
        {baseline.avg_latency_ms !== null && `, ${count(Math.round(baseline.avg_latency_ms))} ms in the mean`},{' '}
        {count(baseline.errors)} without an answer.
      </p>
    </section>
  )
}
