import type { NextAction } from '@ratchet/contracts/setup-status'
import type { ReactNode } from 'react'
import { type State, StateLabel } from '../../kit/state-mark.tsx'
import styles from './home.module.css'
import { type ListedStep, listedSteps } from './next-step.ts'

const states: Readonly<Record<ListedStep['place'], State>> = { done: 'proven', now: 'open', later: 'none' }

/** The way to the closed loop as a list, until it is closed. */
export function SetupSteps({ action }: { readonly action: NextAction }): ReactNode {
  return (
    <ol className={styles.steps} aria-label="Steps of the set-up">
      {listedSteps(action).map(({ action: step, label, place }) => (
        <li key={step} aria-current={place === 'now' ? 'step' : undefined}>
          <StateLabel state={states[place]}>
            {label}
            {place === 'now' ? '' : `: ${place}`}
          </StateLabel>
        </li>
      ))}
    </ol>
  )
}
