import type { ReactNode } from 'react'

/** How sure something is. Each state has a shape of its own beside its colour. */
export const states = ['proven', 'open', 'borderline', 'wrong', 'none'] as const
export type State = (typeof states)[number]

interface StateMarkProps {
  readonly state: State
  readonly size?: number
}

/** The shape of a state, to be shown beside its word: full, half, ring with a bar, cross, or empty. */
export function StateMark({ state, size = 12 }: StateMarkProps): ReactNode {
  return (
    <svg width={size} height={size} viewBox="0 0 12 12" aria-hidden="true" style={{ flexShrink: 0 }}>
      <StateShape state={state} />
    </svg>
  )
}

/** The shape inside another picture, on a square of 12. */
export function StateShape({ state }: { readonly state: State }): ReactNode {
  const color = `var(--state-${state})`
  if (state === 'proven') return <circle cx="6" cy="6" r="5" fill={color} />
  const ring = <circle cx="6" cy="6" r="4.5" fill="var(--surface)" stroke={color} strokeWidth="1.6" />
  if (state === 'open') {
    return (
      <>
        {ring}
        <path d="M6 1.5a4.5 4.5 0 0 0 0 9z" fill={color} />
      </>
    )
  }
  if (state === 'borderline') {
    return (
      <>
        {ring}
        <path d="M2 6h8" stroke={color} strokeWidth="2" />
      </>
    )
  }
  if (state === 'wrong') {
    return (
      <>
        {ring}
        <path d="M4 4l4 4M8 4l-4 4" stroke={color} strokeWidth="1.6" strokeLinecap="round" />
      </>
    )
  }
  return <circle cx="6" cy="6" r="4.5" fill="none" stroke={color} strokeWidth="1.6" strokeDasharray="2 1.5" />
}

interface StateLabelProps {
  readonly state: State
  readonly children: ReactNode
}

/** A state as shape, word and colour. */
export function StateLabel({ state, children }: StateLabelProps): ReactNode {
  return (
    <span
      style={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: 5,
        whiteSpace: 'nowrap',
        color: `var(--state-${state})`,
      }}
    >
      <StateMark state={state} />
      <span>{children}</span>
    </span>
  )
}
