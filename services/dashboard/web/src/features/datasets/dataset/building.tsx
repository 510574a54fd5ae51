import type { DatasetProgress } from '@ratchet/contracts/dataset-progress'
import type { Dataset } from '@ratchet/contracts/datasets'
import type { ReactNode } from 'react'
import { Facts } from '../../../kit/facts.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'

const titles: Record<Dataset['status'], string> = {
  building: 'It is being made',
  ready: 'How it was made',
  failed: 'It could not be made',
}

interface BuildingProps {
  readonly dataset: Dataset
  readonly progress: DatasetProgress
}

/** How far the answers are that a dataset is made of. */
export function Building({ dataset, progress }: BuildingProps): ReactNode {
  const { samples, answered, refused, judged, passed, cost_usd: cost } = progress
  return (
    <Card title={titles[dataset.status]}>
      <Facts
        facts={[
          ...(dataset.status_message === null ? [] : [['Note', dataset.status_message] as const]),
          ['Answers', `${count(answered)} of ${count(samples)}${refused === 0 ? '' : `, ${count(refused)} refused`}`],
          ...(dataset.criterion_id === null ? [] : [['Judged', count(judged)] as const]),
          ['Kept', count(passed)],
          ['Cost', moneyText(microOfUsd(cost))],
        ]}
      />
    </Card>
  )
}
