import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { styleNonce } from '../../policy.ts'

/** Colours with enough contrast in light and dark, which the usual style does not have. */
const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--series-2)' },
  { tag: tags.string, color: 'var(--series-1)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-4)' },
  { tag: tags.invalid, color: 'var(--state-wrong)' },
])

const look = EditorView.theme({
  '&': { fontSize: '0.8125rem', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '.cm-content': { fontFamily: 'var(--mantine-font-family-monospace)', caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--dimmed)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
  '.cm-changedText': { background: 'var(--state-open-soft) !important', textDecoration: 'underline' },
  '.cm-deletedChunk': { backgroundColor: 'var(--state-wrong-soft) !important' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--state-proven-soft) !important' },
})

interface PartsOptions {
  readonly label: string
  readonly language: 'json' | 'text'
  readonly isReadOnly: boolean
}

/** What every editor of the page has. */
export function editorParts({ label, language, isReadOnly }: PartsOptions): Extension[] {
  return [
    EditorView.cspNonce.of(styleNonce),
    look,
    history(),
    bracketMatching(),
    highlightSelectionMatches(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorState.readOnly.of(isReadOnly),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap]),
    ...(language === 'json' ? [json(), foldGutter(), syntaxHighlighting(highlight)] : []),
  ]
}
