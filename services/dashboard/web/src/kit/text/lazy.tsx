import { Skeleton } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import type { CodeEditorProps } from './code-editor.tsx'

const LazyMarkdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }))
const LazyWordDiff = lazy(async () => ({ default: (await import('./word-diff.tsx')).WordDiff }))
const LazyCodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }))
const LazyTextDiff = lazy(async () => ({ default: (await import('./text-diff.tsx')).TextDiff }))

/** Formatted text of a model, loaded when it is first shown. */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  return (
    <Suspense fallback={<Skeleton height={60} />}>
      <LazyMarkdown text={text} />
    </Suspense>
  )
}

/** The words that differ between two short texts. */
export function WordDiff(props: { readonly before: string; readonly after: string }): ReactNode {
  return (
    <Suspense fallback={<Skeleton height={60} />}>
      <LazyWordDiff {...props} />
    </Suspense>
  )
}

/** An editor for prompts and JSON. */
export function CodeEditor(props: CodeEditorProps): ReactNode {
  return (
    <Suspense fallback={<Skeleton height={120} />}>
      <LazyCodeEditor {...props} />
    </Suspense>
  )
}

/** The lines that differ between two versions, such as those of a prompt. */
export function TextDiff(props: {
  readonly before: string
  readonly after: string
  readonly label: string
}): ReactNode {
  return (
    <Suspense fallback={<Skeleton height={120} />}>
      <LazyTextDiff {...props} />
    </Suspense>
  )
}
