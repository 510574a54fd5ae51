import type { GrpoRun } from '@ratchet/contracts/grpo'
import { listGrpoSteps } from '@ratchet/contracts/grpo-progress'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { StepLine } from '../../../pictures/step-line.tsx'
import { Figures } from '../figures.tsx'
import { useFollowed } from '../job/use-followed.ts'
import styles from '../training.module.css'
import { isUnderWay } from './run-words.ts'
import { alarmLines, lastFigures, stepCharts } from './step-charts.ts'

const pollMs = 3_000

/** How the reward and the figures of the trainer went until now. */
export function ChartsPart({ run }: { readonly run: GrpoRun }): ReactNode {
  const steps = useEndpoint(listGrpoSteps, { params: { id: run.id }, query: { points: '200' } })
  useFollowed(steps.refetch, isUnderWay(run), pollMs)
  return (
    <Card title="Steps">
      <Loaded query={steps}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="dimmed">No step was rewarded yet.</p>
          ) : (
            <div className={styles.parts}>
              {alarmLines(data).map((line) => (
                <Notice key={line} state="borderline">
                  {line}
                </Notice>
              ))}
              <div className={styles.pair}>
                {stepCharts(run, data).map((facts) => (
                  <div key={facts.title}>
                    <h3>{facts.title}</h3>
                    {facts.points.length === 0 ? <p className="dimmed">Not measured yet.</p> : <StepLine {...facts} />}
                  </div>
                ))}
              </div>
              <Figures label="The last step" figures={lastFigures(data)} />
            </div>
          )
        }
      </Loaded>
    </Card>
  )
}
