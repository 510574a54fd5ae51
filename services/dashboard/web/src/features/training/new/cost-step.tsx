import { Stack, Text, TextInput } from '@mantine/core'
import { readSessionWallet } from '@ratchet/contracts/billing'
import type { FineTuningEstimate } from '@ratchet/contracts/fine-tuning'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { duration } from '../../../kit/time.ts'
import { DataReport } from '../data-report.tsx'
import { Figures } from '../figures.tsx'
import { MaxCostInput } from '../max-cost-input.tsx'
import styles from '../training.module.css'
import { problemsOf, reportOf } from './refusal.ts'
import type { StepProps } from './step-props.ts'

interface CostStepProps extends StepProps {
  readonly estimate: UseQueryResult<FineTuningEstimate> & { readonly isSettled: boolean }
  /** Whether all is chosen and right, so that there is an estimate. */
  readonly isComplete: boolean
  /** What starts the job, and why it was refused. */
  readonly children: ReactNode
}

/** What the job takes, how much it may cost, and its start. */
export function CostStep({ values, change, problems, estimate, isComplete, children }: CostStepProps): ReactNode {
  const { data, error, isSettled, isFetching, refetch } = estimate
  const isOld = !isSettled || isFetching
  const refused = reportOf(error)
  return (
    <Card title="4. Cost and start">
      <Stack gap={16}>
        {!isComplete && <Text c="dimmed">Choose a model and data to see what the job costs.</Text>}
        {isComplete && error !== null && Object.keys(problemsOf(error)).length === 0 && (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )}
        {isComplete && refused !== null && <DataReport report={refused} isExact={false} />}
        {isComplete && error === null && data && (
          <div style={{ opacity: isOld ? 0.6 : 1 }} aria-busy={isOld}>
            <Takes estimate={data} />
          </div>
        )}
        {isComplete && error === null && !data && <Text c="dimmed">The data is being read.</Text>}
        <div className={styles.fields}>
          <MaxCostInput
            description="The job ends with the last checkpoint that this covers. Empty: the hold is the limit."
            value={values.maxCostUsd}
            error={problems.maxCostUsd}
            onChange={(maxCostUsd) => change({ maxCostUsd })}
          />
          <TextInput
            label="Suffix"
            description="A word of yours that is returned with the job: letters, digits, dots, dashes and underscores."
            maxLength={64}
            value={values.suffix}
            error={problems.suffix}
            onChange={({ currentTarget }) => change({ suffix: currentTarget.value })}
          />
        </div>
        {children}
      </Stack>
    </Card>
  )
}

function Takes({ estimate }: { readonly estimate: FineTuningEstimate }): ReactNode {
  const { estimated_seconds: seconds, queue_seconds: queue, data_report: report, tokens_exact: isExact } = estimate
  const hold = microOfUsd(estimate.hold_usd)
  return (
    <Stack gap={12}>
      <Figures
        label="What the job takes"
        figures={[
          ['Cost', <strong key="cost">about {moneyText(microOfUsd(estimate.estimated_cost_usd))}</strong>],
          ['Held at the start', moneyText(hold)],
          ['Trained tokens', `${isExact ? '' : 'about '}${count(estimate.training_tokens)}`],
          ['Time', seconds === null ? 'not known' : `about ${duration(seconds * 1_000)}`],
          ['Waits before', queue === null ? 'not known' : queue === 0 ? 'no' : `about ${duration(queue * 1_000)}`],
          ...useWallet(hold),
        ]}
      />
      {estimate.warnings.map((warning) => (
        <Notice key={warning} state="open">
          {warning}
        </Notice>
      ))}
      {report !== null && <DataReport report={report} isExact={isExact} />}
    </Stack>
  )
}

/** What the wallet has, beside the hold; only owners and admins may read it. */
function useWallet(holdMicro: string): readonly (readonly [string, ReactNode])[] {
  const mayRead = reasonAgainst('owner_admin', useWorkspace()) === null
  const wallet = useEndpoint(readSessionWallet, {}, { enabled: mayRead, topics: ['wallet'] })
  if (!wallet.data) return []
  const { available_nano: available } = wallet.data
  const isEnough = BigInt(available) >= BigInt(holdMicro) * 1_000n
  return [['Wallet', `${moneyText(available, { unit: 'nano' })}${isEnough ? '' : ', which is not enough'}`]]
}
