import type { Eval } from '@ratchet/contracts/evals'
import type { ReactNode } from 'react'
import { addMoney, microOfUsd, moneyText } from '../../../kit/money.ts'
import { Card } from '../../../kit/page.tsx'
import { Progress } from '../../../kit/progress.tsx'
import { WaitingFor } from '../../../kit/states/waiting-for.tsx'
import { IntervalRows } from '../../../pictures/interval-rows.tsx'
import { signedPercent } from '../words.ts'

/** How far an eval is, what it cost, why it waits, and what is proven already. */
export function EvalProgress({ each }: { readonly each: Eval }): ReactNode {
  const { progress, waiting_for: waitingFor, interim, max_cost_usd: cap } = each
  const spent = addMoney([microOfUsd(each.cost_usd), microOfUsd(each.judge_cost_usd)])
  const detail = `${moneyText(spent)} spent${cap === null ? '' : ` of at most ${moneyText(microOfUsd(cap))}`}`
  const rows = Object.entries(interim?.candidates ?? {}).flatMap(([label, difference]) =>
    difference === null ? [] : [{ label, value: difference.value, interval: difference.ci, state: 'open' as const }],
  )
  return (
    <Card title="Under way">
      <div style={{ display: 'grid', gap: 12 }}>
        {progress.total === 0 ? (
          <p className="dimmed" style={{ margin: 0 }}>
            The prompts are being drawn.
          </p>
        ) : (
          <Progress label="Samples" done={progress.done} total={progress.total} detail={detail} />
        )}
        {waitingFor !== null && <WaitingFor reason={waitingFor} />}
        {rows.length > 0 && (
          <IntervalRows title="Wins minus losses so far" rows={rows} reference={0} format={signedPercent} />
        )}
      </div>
    </Card>
  )
}
