import { type ReactNode, useState } from 'react'
import { moneyText } from '../kit/money.ts'
import { percent, rate as rateText } from '../kit/numbers.ts'
import { Card } from '../kit/page.tsx'
import { CanarySequence } from '../pictures/canary-sequence.tsx'
import { Confusion } from '../pictures/confusion.tsx'
import { CostBar } from '../pictures/cost-bar.tsx'
import { DropsBar } from '../pictures/drops-bar.tsx'
import { EvidenceWear } from '../pictures/evidence-wear.tsx'
import { GradingPlan } from '../pictures/grading-plan.tsx'
import { GuardSequence } from '../pictures/guard-sequence.tsx'
import { IntervalRows } from '../pictures/interval-rows.tsx'
import { LoopRing } from '../pictures/loop-ring.tsx'
import { LossCurve } from '../pictures/loss-curve.tsx'
import { RateInterval } from '../pictures/rate-interval.tsx'
import { StackedBars } from '../pictures/stacked-bars.tsx'
import { StepLine } from '../pictures/step-line.tsx'
import { Waterfall } from '../pictures/waterfall.tsx'
import {
  bars,
  candidates,
  drops,
  grading,
  guardLooks,
  looks,
  loop,
  losses,
  rewards,
  series,
  spans,
  wear,
} from './samples.ts'

const weights = { tp: 0.1, fn: 0.02, fp: 0.03, tn: 0.85 }
const counts = { tp: 48, fn: 3, fp: 4, tn: 114 }

export function PictureSection(): ReactNode {
  const [pressed, setPressed] = useState('')
  return (
    <>
      <Card title="Interval against the bar">
        <RateInterval label="TPR" rate={0.96} interval={[0.92, 0.99]} bar={0.9} state="proven" ceiling={0.975} />
        <RateInterval label="TPR" rate={0.95} interval={[0.86, 0.98]} bar={0.9} state="open" forecast={[0.91, 0.975]} />
        <RateInterval label="TPR" rate={0.9} interval={[0.88, 0.92]} bar={0.9} state="borderline" />
        <RateInterval label="TPR" rate={0.72} interval={[0.6, 0.82]} bar={0.9} state="wrong" />
        <RateInterval label="TPR" rate={null} interval={null} bar={0.9} state="none" />
        <RateInterval label="TPR" rate={0.96} interval={[0.92, 0.99]} bar={0.9} state="proven" isSmall />
      </Card>
      <Card title="Intervals on one axis">
        <IntervalRows title="Win rate against sim/large" rows={candidates} reference={0.5} format={percent} />
      </Card>
      <Card title="Confusion">
        <Confusion counts={counts} weights={weights} onCell={setPressed} />
        <p aria-live="polite">{pressed}</p>
      </Card>
      <Card title="Canary">
        <CanarySequence
          looks={looks}
          margin={0.05}
          verdict="nothing proven"
          expected="in 31 h"
          epochs={[900]}
          flags={[{ scored: 900, text: 'rolled back', state: 'wrong' }]}
          forecast={(looks.at(-1)?.scored ?? 0) * 1.5}
        />
      </Card>
      <Card title="Guard">
        <GuardSequence title="Slower" looks={guardLooks} limit={1.5} isBreached={false} format={rateText} />
      </Card>
      <Card title="Evidence that wears out">
        <EvidenceWear {...wear} />
      </Card>
      <Card title="Grades that are planned">
        <GradingPlan {...grading} />
      </Card>
      <Card title="Amounts">
        <StackedBars title="Spend by purpose" bars={bars} series={series} format={(amount) => moneyText(amount)} />
      </Card>
      <Card title="Kept and dropped">
        <DropsBar title="Exchanges" parts={drops} current={pressed} onOpen={setPressed} />
      </Card>
      <Card title="Trace">
        <Waterfall spans={spans} currentId="3" />
      </Card>
      <Card title="Loss">
        <LossCurve {...losses} />
      </Card>
      <Card title="Figure by step">
        <StepLine {...rewards} />
      </Card>
      <Card title="Cost of what runs">
        <CostBar charged="120000" held="340000" estimate="400000" maximum="600000" />
      </Card>
      <Card title="Loop">
        <LoopRing steps={loop} />
      </Card>
    </>
  )
}
