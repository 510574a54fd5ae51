import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import { editorParts } from './editor-parts.ts'
import styles from './text.module.css'

export interface CodeEditorProps {
  /** What is edited, for screen readers. */
  readonly label: string
  readonly value: string
  readonly language?: 'json' | 'text'
  /** Without it the text can be read, folded and searched, and not changed. */
  readonly onChange?: (value: string) => void
}

/** An editor for prompts and JSON. Tab leaves it, so that the keyboard is never caught. */
export function CodeEditor({ label, value, language = 'text', onChange }: CodeEditorProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const change = useEffectEvent((text: string) => onChange?.(text))
  const isReadOnly = onChange === undefined
  const initial = useEffectEvent(() => value)

  useEffect(() => {
    if (box.current === null) return
    const onUpdate = EditorView.updateListener.of((update) => {
      if (update.docChanged) change(update.state.doc.toString())
    })
    const parts = [...editorParts({ label, language, isReadOnly }), onUpdate]
    const made = new EditorView({
      parent: box.current,
      state: EditorState.create({ doc: initial(), extensions: parts }),
    })
    view.current = made
    return () => made.destroy()
  }, [label, language, isReadOnly])

  useEffect(() => {
    const text = view.current?.state.doc.toString()
    if (text === undefined || text === value) return
    view.current?.dispatch({ changes: { from: 0, to: text.length, insert: value } })
  }, [value])

  return <div ref={box} className={styles.editor} />
}
