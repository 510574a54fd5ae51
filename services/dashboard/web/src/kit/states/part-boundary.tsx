import { Component, type ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'

interface PartBoundaryProps {
  readonly children: ReactNode
}

/** Keeps an error of one part, such as a picture, from taking the page with it. */
export class PartBoundary extends Component<PartBoundaryProps, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return <ErrorState error={error} onRetry={() => this.setState({ error: null })} />
  }
}
