import type { AliasGate, GateArm } from '@ratchet/contracts/alias-gate'
import type { ReactNode } from 'react'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count, percent } from '../../../kit/numbers.ts'
import { Notice } from '../../../kit/states/notice.tsx'
import styles from '../aliases.module.css'

interface Row {
  readonly name: string
  readonly of: (arm: GateArm) => string
  /** Left out when no arm has any. */
  readonly has?: (arm: GateArm) => boolean
}

const none = '–'

const rows: readonly Row[] = [
  { name: 'Requests assigned', of: ({ assigned }) => count(assigned) },
  { name: 'Requests served', of: ({ served }) => count(served) },
  { name: 'Errors', of: ({ errors, error_rate: share }) => withShare(errors, share) },
  { name: 'Answers scored', of: ({ scored }) => count(scored) },
  { name: 'Of these failed', of: ({ fails, scored }) => withShare(fails, scored === 0 ? null : fails / scored) },
  { name: 'Wait for the judge', of: ({ open }) => count(open) },
  { name: 'No verdict possible', of: ({ unjudged }) => count(unjudged), has: ({ unjudged }) => unjudged > 0 },
  { name: 'Began in the other arm', of: ({ mixed }) => count(mixed), has: ({ mixed }) => mixed > 0 },
  { name: 'Runs not completed', of: ({ unfinished }) => count(unfinished), has: ({ unfinished }) => unfinished > 0 },
  { name: 'Runs with a fallback', of: ({ assisted }) => count(assisted), has: ({ assisted }) => assisted > 0 },
  {
    name: 'Graded by people',
    of: ({ graded, drawn }) => `${count(graded)}, ${count(Math.floor(drawn))} of them drawn`,
  },
  { name: 'Pass rate, corrected', of: ({ pass_rate: rate }) => (rate === null ? none : percent(rate)) },
  { name: 'Pass rate by verdicts', of: ({ raw_pass_rate: rate, cs }) => withBounds(rate, cs) },
  { name: 'p95 latency', of: ({ p95_latency_ms: ms }) => (ms === null ? none : `${count(Math.round(ms))} ms`) },
  { name: 'Mean cost', of: ({ avg_cost_usd: cost }) => (cost === null ? none : moneyText(microOfUsd(cost))) },
]

/** Below this the numbers of requests of the arms do not match the split. */
const minSrmP = 0.0001

/** What is counted of the target and of the canary, beside the shadow. */
export function ArmsTable({ gate }: { readonly gate: AliasGate }): ReactNode {
  const { target, canary } = gate.arms
  const arms = [target, ...(canary === null ? [] : [canary])]
  const shown = rows.filter(({ has }) => has === undefined || arms.some(has))
  return (
    <div className={styles.stack}>
      {gate.srm_p !== null && gate.srm_p < minSrmP && (
        <Notice state="wrong">
          The numbers of requests do not match the split (p = {gate.srm_p.toExponential(1)}), so the gate decides
          nothing.
        </Notice>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls sideways on phones, so the keyboard must reach it. */}
      <section className={styles.scroll} tabIndex={0} aria-label="Counts of both models">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">In this split</th>
              <th scope="col">Target {target.model}</th>
              {canary !== null && <th scope="col">Canary {canary.model}</th>}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ name, of }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {arms.map((arm, index) => (
                  <td key={index}>{of(arm)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {gate.srm_p !== null && gate.srm_p >= minSrmP && (
        <p className={`dimmed ${styles.line}`}>
          The numbers of requests match the split (p = {gate.srm_p.toPrecision(2)}).
        </p>
      )}
      {gate.shadow !== null && <ShadowLine shadow={gate.shadow} />}
    </div>
  )
}

function ShadowLine({ shadow }: { readonly shadow: NonNullable<AliasGate['shadow']> }): ReactNode {
  const { model, mirrored, errors, scored, fails, pass_rate: rate, avg_latency_ms: ms, avg_cost_usd: cost } = shadow
  return (
    <p className={styles.line}>
      <strong>Shadow {model}</strong>: {count(mirrored)} requests mirrored, {count(errors)} without an answer,{' '}
      {count(scored)} scored, {count(fails)} failed
      {rate !== null && `, pass rate ${percent(rate)}`}
      {ms !== null && `, ${count(Math.round(ms))} ms in the mean`}
      {cost !== null && `, ${moneyText(microOfUsd(cost))} each`}. No client gets its answers.
    </p>
  )
}

function withShare(number: number, share: number | null): string {
  return share === null ? count(number) : `${count(number)} (${percent(share)})`
}

function withBounds(rate: number | null, bounds: readonly [number, number] | null): string {
  if (rate === null) return none
  return bounds === null ? percent(rate) : `${percent(rate)} [${percent(bounds[0])}, ${percent(bounds[1])}]`
}
