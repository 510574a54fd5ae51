import type { GrpoRun } from '@ratchet/contracts/grpo'
import { type GrpoGuard, type GrpoLook, getGrpoGuard } from '@ratchet/contracts/grpo-progress'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { count, countOf, rate } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { GuardSequence } from '../../../pictures/guard-sequence.tsx'
import { useFollowed } from '../job/use-followed.ts'
import styles from '../training.module.css'
import { boundText, humanText, isUnderWay, pointsText, rateText, stateOfGuard } from './run-words.ts'

const pollMs = 5_000

/** What a judge that rewards nothing, and people, say of what the reward gained. */
export function GuardPart({ run }: { readonly run: GrpoRun }): ReactNode {
  const guard = useEndpoint(getGrpoGuard, { params: { id: run.id } })
  useFollowed(guard.refetch, isUnderWay(run), pollMs)
  return (
    <Card title="Guard" actions={<StateLabel state={stateOfGuard(run.guard.verdict)}>{run.guard.verdict}</StateLabel>}>
      <Loaded query={guard}>{(found) => <Looks guard={found} />}</Loaded>
    </Card>
  )
}

function Looks({ guard }: { readonly guard: GrpoGuard }): ReactNode {
  const { looks, margin, verdict } = guard
  if (looks.length === 0) return <p className="dimmed">No look was judged yet.</p>
  const gaps = looks.flatMap(({ step, gap }) =>
    gap === null ? [] : [{ time: `step ${count(step)}`, estimate: gap.estimate, low: gap.lower, high: null }],
  )
  return (
    <div className={styles.parts}>
      <p className="dimmed">
        {countOf(looks.length, 'look')} of {count(guard.planned_looks)}, each at {countOf(guard.prompts, 'prompt')} that
        are never trained on. The gap is what only the reward sees: with a lower bound above {pointsText(margin)} points
        the run is diverging.
      </p>
      {gaps.length > 0 && (
        <GuardSequence
          title="Gain that only the reward sees, in points"
          looks={gaps}
          limit={margin}
          isBreached={verdict === 'diverging'}
          format={pointsText}
        />
      )}
      <DataTable label="Looks of the guard" columns={columns} rows={looks} rowKey={({ step }) => String(step)} />
    </div>
  )
}

const columns: readonly Column<GrpoLook>[] = [
  { id: 'step', header: 'Step', width: 70, isNumber: true, cell: ({ step }) => count(step) },
  {
    id: 'verdict',
    header: 'Verdict',
    width: 120,
    cell: ({ verdict }) => <StateLabel state={stateOfGuard(verdict)}>{verdict}</StateLabel>,
  },
  { id: 'reward', header: 'Reward', width: 80, isNumber: true, cell: ({ reward_mean: mean }) => rate(mean) },
  { id: 'train', header: 'Pass by the reward', cell: ({ train_judge: rated }) => rateText(rated), onPhone: false },
  {
    id: 'holdout',
    header: 'Pass by the hold-out judge',
    cell: ({ holdout_judge: rated }) => rateText(rated),
    onPhone: false,
  },
  {
    id: 'gap',
    header: 'Gap, in points',
    cell: ({ gap }) => (gap === null ? '–' : boundText(gap.estimate, 'at least', gap.lower)),
    onPhone: false,
  },
  {
    id: 'gain',
    header: 'Hold-out gain',
    cell: ({ holdout_gain: gain }) => (gain === null ? '–' : boundText(gain.estimate, 'at most', gain.upper)),
    onPhone: false,
  },
  { id: 'human', header: 'False passes by people', cell: ({ human }) => humanText(human), onPhone: false },
]
