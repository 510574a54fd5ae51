import { Button, Group, NumberInput } from '@mantine/core'
import { isRunOver } from '@ratchet/contracts/calibrations'
import { getCriterion, listCriteria, updateCriterion } from '@ratchet/contracts/criteria'
import { getImprovement, type Improvement, improveCriterion } from '@ratchet/contracts/judge-assist'
import { listImprovements } from '@ratchet/contracts/session-criteria'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Facts } from '../../../kit/facts.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { rate } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { Progress } from '../../../kit/progress.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { TextDiff } from '../../../kit/text/lazy.tsx'
import { toast } from '../../../kit/toast.tsx'
import { useJudge } from '../detail/judge-context.ts'
import { VoidWarning } from '../prompt/void-warning.tsx'
import { usePolledRun } from '../use-polled-run.ts'

const route = getRouteApi('/w/$slug/judges/$judge/improve')

/** A better prompt, made from some of the grades and measured on the others. */
export function ImproveTab(): ReactNode {
  const { improvement } = route.useSearch()
  return (
    <>
      <StartCard />
      {improvement === undefined ? (
        <LatestImprovement />
      ) : (
        <ImprovementCard key={improvement} title="Proposal" improvementId={improvement} />
      )}
    </>
  )
}

/** The newest proposal, for who comes back without its address. */
function LatestImprovement(): ReactNode {
  const { id } = useJudge()
  const improvements = useEndpoint(listImprovements, { params: { id }, query: { limit: 1 } }, { topics: ['judges'] })
  return (
    <Loaded query={improvements}>
      {({ data: [latest] }) =>
        latest === undefined ? null : <ImprovementCard title="The newest proposal" improvementId={latest.id} />
      }
    </Loaded>
  )
}

function StartCard(): ReactNode {
  const { id } = useJudge()
  const navigate = useNavigate({ from: '/w/$slug/judges/$judge/improve' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [cap, setCap] = useState<number | string>(1)
  const body = { max_cost_usd: Number(cap) }
  const act = useAct(improveCriterion, { onDone: (run) => void navigate({ search: { improvement: run.id } }) })
  const isValid = improveCriterion.body.safeParse(body).success
  return (
    <Card title="Improve the prompt">
      <Group gap={12} align="flex-end">
        <NumberInput label="At most" prefix="$" min={0} decimalScale={6} value={cap} onChange={setCap} />
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button
              disabled={disabled || !isValid}
              loading={act.isPending}
              onClick={() => act.mutate({ params: { id }, body })}
            >
              Start
            </Button>
          )}
        </NotPermitted>
      </Group>
      {act.error && <ErrorState error={act.error} />}
    </Card>
  )
}

interface ImprovementCardProps {
  readonly title: string
  readonly improvementId: string
}

function ImprovementCard({ title, improvementId }: ImprovementCardProps): ReactNode {
  const { id } = useJudge()
  const run = useEndpoint(
    getImprovement,
    { params: { id, improvement_id: improvementId } },
    { topics: [`improvement:${improvementId}`] },
  )
  usePolledRun(run)
  return (
    <Card title={title}>
      <Loaded query={run}>{(data) => <Proposal run={data} />}</Loaded>
    </Card>
  )
}

type Metrics = Improvement['holdout_metrics']

function Proposal({ run }: { readonly run: Improvement }): ReactNode {
  const judge = useJudge()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const act = useAct(updateCriterion, {
    changes: [getCriterion, listCriteria],
    onDone: () => toast('The prompt is applied. Calibrate the judge again.'),
  })
  const { status, error, proposed_judge_prompt: prompt, progress } = run
  if (!isRunOver({ status })) {
    return <Progress label="Rewriting" done={progress.iteration} total={progress.max_iterations} />
  }
  if (status === 'FAILED') return <Notice state="wrong">{error ?? 'The run failed.'}</Notice>
  if (prompt === null) return <Notice state="none">No prompt was better than the present one.</Notice>
  return (
    <>
      <Facts
        facts={[
          ['Proposed, on grades that it has not seen', metricsText(run.holdout_metrics)],
          ['Present, on the same grades', metricsText(run.current_holdout_metrics)],
          [
            'Proposed, on grades that it was made from (too favourable)',
            <span key="train" className="dimmed">
              {metricsText(run.train_metrics)}
            </span>,
          ],
          ['Cost', moneyText(microOfUsd(run.cost_usd))],
        ]}
      />
      <TextDiff before={judge.judge_prompt} after={prompt} label="Present and proposed prompt" />
      {prompt !== judge.judge_prompt && (
        <>
          <VoidWarning />
          <NotPermitted reason={reason}>
            {(disabled) => (
              <Button
                disabled={disabled}
                loading={act.isPending}
                onClick={() => act.mutate({ params: { id: judge.id }, body: { judge_prompt: prompt } })}
              >
                Apply
              </Button>
            )}
          </NotPermitted>
        </>
      )}
      {act.error && <ErrorState error={act.error} />}
    </>
  )
}

function metricsText(metrics: Metrics): string {
  if (metrics === null) return 'none'
  const { tpr, tnr, rows } = metrics
  const part = (value: number | null) => (value === null ? 'none' : rate(value))
  return `fails found ${part(tpr)}, passes kept ${part(tnr)} (${rows} grades)`
}
