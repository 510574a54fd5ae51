import type { EvalPanel } from '@ratchet/contracts/eval-panel'
import type { Eval } from '@ratchet/contracts/evals'
import type { ReactNode } from 'react'
import { count, percent, rate } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import styles from '../evals.module.css'

interface PanelPartProps {
  readonly model: string
  readonly panel: EvalPanel
  readonly each: Pick<Eval, 'baseline_model'>
}

/** What each judge of a panel said, and how far they agree. */
export function PanelPart({ model, panel, each }: PanelPartProps): ReactNode {
  return (
    <Card title={`The panel about ${model}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls sideways on phones, so the keyboard must reach it. */}
      <section className={styles.scroll} tabIndex={0} aria-label={`Judges of ${model}`}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Judge</th>
              <th scope="col">Wins, ties, losses against {each.baseline_model}</th>
              <th scope="col">Not judged</th>
              <th scope="col">Same verdict in both orders</th>
            </tr>
          </thead>
          <tbody>
            {panel.judges.map((judge) => (
              <tr key={judge.model}>
                <th scope="row">{judge.model}</th>
                <td>{`${judge.wins}, ${judge.ties}, ${judge.losses}`}</td>
                <td>{count(judge.unjudged)}</td>
                <td>{judge.consistency_rate === null ? 'not known' : percent(judge.consistency_rate)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {panel.agreements.map(({ judges, samples, agreement, kappa }) => (
        <p key={judges.join()} className="dimmed">
          {judges.join(' and ')}:{' '}
          {agreement === null ? 'no common sample' : `${percent(agreement)} of ${count(samples)}`}
          {kappa !== null && `, kappa ${rate(kappa)}`}
        </p>
      ))}
      <p className="dimmed">They differ about {count(panel.disputed)} samples.</p>
    </Card>
  )
}
