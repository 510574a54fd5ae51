import type { TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import type { ReactNode } from 'react'
import { count } from '../../kit/numbers.ts'
import { Notice } from '../../kit/states/notice.tsx'
import { Figures } from './figures.tsx'
import { reportLines } from './report-lines.ts'

interface DataReportProps {
  readonly report: TrainingDataReport
  /** Whether the tokens are counted, and not estimated. */
  readonly isExact: boolean
}

/** What the examples of a job are like, and the first of them that cannot be read. */
export function DataReport({ report, isExact }: DataReportProps): ReactNode {
  const { first_invalid: first } = report
  return (
    <div style={{ display: 'grid', gap: 12 }}>
      <Figures label="What the examples are like" figures={reportLines(report, isExact)} />
      {first !== null && (
        <Notice state="wrong">
          Line {count(first.line)} is not an example: {first.message}
        </Notice>
      )}
    </div>
  )
}
