import { NumberInput, SegmentedControl } from '@mantine/core'
import { type GrpoRolloutView, listGrpoRollouts } from '@ratchet/contracts/grpo-progress'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Conversation } from '../../../kit/conversation/conversation.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { count, rate } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { WalkAnswers } from '../audit/walk-answers.tsx'
import { Figures } from '../figures.tsx'
import styles from '../training.module.css'
import { AboveRun } from './above-run.tsx'
import { placeOf, type RolloutSearch, rolloutKinds, rolloutQuery, rolloutSorts } from './rollout-search.ts'

const route = getRouteApi('/w/$slug/training/runs/$id/rollouts')

/** The answers of a run one by one, with their rewards and what the judges said. */
export function RolloutsPage(): ReactNode {
  const { id } = route.useParams()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  return (
    <Page title="Answers" lead={<CopyText text={id} label="Copy the id of the run" />} above={<AboveRun id={id} />}>
      {reason === null ? <Rollouts id={id} /> : <Notice state="none">{reason}</Notice>}
    </Page>
  )
}

function Rollouts({ id }: { readonly id: string }): ReactNode {
  const search: RolloutSearch = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/training/runs/$id/rollouts' })
  const query = rolloutQuery(search)
  const n = placeOf(search)
  const at = (place: number) => ({ params: { id }, query: { ...query, limit: '1', offset: String(place - 1) } })
  const page = useEndpoint(listGrpoRollouts, at(n), { keepsOld: true })
  const total = page.data?.total ?? 0
  useEndpoint(listGrpoRollouts, at(n + 1), { enabled: n < total })
  const change = (changed: RolloutSearch) =>
    void navigate({ search: (before) => ({ ...before, n: '', ...changed }), replace: true })
  return (
    <div className={styles.parts}>
      <div className={styles.choices}>
        <SegmentedControl
          aria-label="Order of the answers"
          data={[...rolloutSorts]}
          value={query.sort}
          onChange={(sort) => change({ sort })}
        />
        <SegmentedControl
          aria-label="Answers to show"
          data={[...rolloutKinds]}
          value={query.kind}
          disabled={query.sort === 'disagreement'}
          onChange={(kind) => change({ kind })}
        />
        <NumberInput
          aria-label="Only of step"
          placeholder="All steps"
          min={0}
          max={10_000}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="strict"
          value={search.step ?? ''}
          onChange={(step) => change({ step: String(step) })}
        />
      </div>
      <Loaded query={page}>
        {({ data: [rollout] }) =>
          rollout === undefined ? (
            <EmptyState title="No answers">The run has no such answers yet.</EmptyState>
          ) : (
            <div className={styles.parts}>
              <WalkAnswers n={n} total={total} onGo={(place) => change({ n: String(place) })} />
              <Rollout rollout={rollout} />
            </div>
          )
        }
      </Loaded>
    </div>
  )
}

function Rollout({ rollout }: { readonly rollout: GrpoRolloutView }): ReactNode {
  const { reward, advantage, terms } = rollout
  return (
    <>
      <Figures
        label="The answer"
        figures={[
          ['Reward', <strong key="reward">{figureText(reward)}</strong>],
          ...Object.entries(terms).map(([name, value]) => [name, figureText(value)] as const),
          ['Advantage', advantage === null ? '–' : advantage.toFixed(2)],
          [rollout.kind === 'look' ? 'Look at step' : 'Step', count(rollout.step)],
          ['Policy of step', count(rollout.adapter_version)],
          ...(rollout.replayed ? [['Trained on', 'again, after a trainer was lost'] as const] : []),
          ['Tokens', `${count(rollout.tokens)}${rollout.truncated ? ', cut at the maximum' : ''}`],
        ]}
      />
      <Verdicts rollout={rollout} />
      <Card title="Prompt">
        <Conversation messages={rollout.messages} />
      </Card>
      <Card title="Answer">
        <Conversation messages={rollout.completion} />
      </Card>
    </>
  )
}

/** A reward or a term of it; a dash before it is judged. */
function figureText(value: number | null): string {
  return value === null ? '–' : rate(value)
}

function Verdicts({ rollout: { verdicts } }: { readonly rollout: GrpoRolloutView }): ReactNode {
  if (verdicts.length === 0) return null
  return (
    <Card title="Verdicts">
      <div className={styles.parts}>
        {verdicts.map(({ criterion_id: judge, judge_model: model, role, verdict, explanation }) => (
          <article key={`${role}-${judge}-${model}`}>
            <StateLabel state={verdict === null ? 'none' : verdict === 'pass' ? 'proven' : 'wrong'}>
              {verdict ?? 'no verdict'}
            </StateLabel>{' '}
            <span className="dimmed">
              {role === 'reward' ? 'reward' : 'hold-out'} · {judge} · {model}
            </span>
            {explanation !== null && <p className={styles.explanation}>{explanation}</p>}
          </article>
        ))}
      </div>
    </Card>
  )
}
