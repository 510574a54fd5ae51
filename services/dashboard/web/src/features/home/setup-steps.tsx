import { Anchor } from '@mantine/core'
import type { NextAction } from '@ratchet/contracts/setup-status'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { type State, StateLabel } from '../../kit/state-mark.tsx'
import styles from './home.module.css'
import { type ListedStep, listedSteps, pathOfStep } from './next-step.ts'

const states: Readonly<Record<ListedStep['place'], State>> = { done: 'proven', now: 'open', later: 'none' }

interface SetupStepsProps {
  readonly action: NextAction
  /** Paths of the pages in the rail. */
  readonly railPaths: readonly string[]
}

/** The way to the closed loop as a list of links, until it is closed. */
export function SetupSteps({ action, railPaths }: SetupStepsProps): ReactNode {
  return (
    <ol className={styles.steps} aria-label="Steps of the set-up">
      {listedSteps(action).map(({ action: step, label, place }) => (
        <li key={step} aria-current={place === 'now' ? 'step' : undefined}>
          <StateLabel state={states[place]}>
            <StepLink label={label} path={pathOfStep(step, railPaths)} />
            {place === 'now' ? '' : `: ${place}`}
          </StateLabel>
        </li>
      ))}
    </ol>
  )
}

function StepLink({ label, path }: { readonly label: string; readonly path: string | null }): ReactNode {
  const slug = useWorkspaceSlug()
  if (path === null) return label
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to={`/w/${slug}/${path}`} />}>
      {label}
    </Anchor>
  )
}
