import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { type ReactNode, useEffect, useRef } from 'react'
import { editorParts } from './editor-parts.ts'
import styles from './text.module.css'

interface TextDiffProps {
  readonly before: string
  readonly after: string
  readonly label: string
}

/** Two versions of a long text, line by line; equal parts are folded. */
export function TextDiff({ before, after, label }: TextDiffProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (box.current === null) return
    const merge = unifiedMergeView({
      original: before,
      mergeControls: false,
      collapseUnchanged: { margin: 3, minSize: 6 },
    })
    const extensions = [...editorParts({ label, language: 'text', isReadOnly: true }), merge]
    const view = new EditorView({ parent: box.current, state: EditorState.create({ doc: after, extensions }) })
    return () => view.destroy()
  }, [before, after, label])
  return <div ref={box} className={styles.editor} />
}
