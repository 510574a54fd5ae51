import { givenName, one } from './recurring-values.fixture.ts'
import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const guest = (v: Values) =>
  one(
    v,
    'Ines Calvo,Bjarne Holm,Amara Okafor,Luca Conti,Hanna Virtanen,Dmitri Orlov,Grace Kim,Noah Ellis,Zofia Nowak,Ravi Menon',
  )
const place = (v: Values) => one(v, 'Porto,Gdańsk,Leeds,Bilbao,Turin,Graz,Tampere,Osaka,Austin,Nantes')
const REMARKS = [
  'The lift has been out of order since Monday.',
  'Payment was taken twice.',
  'The parcel arrived with a torn box.',
  'My password no longer works.',
  'Could you move the visit to the afternoon?',
  'The app closes when I open the map.',
  'We were promised a window seat.',
  'The heating makes a loud noise.',
  'Nobody answered the phone.',
]
const remark = (v: Values) => v.pick(REMARKS)
const remarks = (v: Values, low = 1, high = 5) => v.many(low, high, () => remark(v), ' ')

/**
 * Applications with one word out of a few amid their instructions: a role, a subject, a name in a language without capitals.
 * Nothing tells such a word from one that makes another application, so its values are families of their own.
 */
export const ENUMERATED_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You play ${one(v, 'a grumpy wizard,a polite robot,a retired pirate,a curious child')} named ${givenName(v)} in a text adventure. Stay in character and end each turn with a choice of three actions.`,
  (v) =>
    `あなたは${one(v, '東京,大阪,京都')}のホテルのコンシェルジュです。お客様は${one(v, '田中,佐藤,鈴木,高橋')}様、${v.int(1, 5)}泊の予定です。丁寧に日本語で答えてください。`,
  (v) =>
    `你是${one(v, '美团,京东,小米')}的客服助手。用户${one(v, '王伟,李娜,张敏,刘洋')}的订单号是${v.int(100000, 999999)}。请用中文简短回答。`,
  (v) =>
    `Review the diff of ${one(v, 'payments-api,web-shop,mobile-app,auth-service,data-lake,search-index,mailer,billing-core')} as a senior engineer. Point out bugs, missing tests and unclear names. Do not comment on formatting.\n\n\`\`\`diff\n${v.many(1, 8, () => `${one(v, '+,-')} const ${one(v, 'total,user,key,rows,retry')} = ${one(v, 'load,parse,sum,fetch')}(${v.int(0, 99)})`, '\n')}\n\`\`\``,
  (v) =>
    `Você ajuda ${guest(v)} a estudar para a prova de ${one(v, 'história,química,física,biologia')}. Faça uma pergunta de cada vez e espere a resposta.`,
  (v) =>
    `次の問い合わせに${one(v, '青空銀行,みどり保険,さくら電機,ひかり通信,あさひ運輸,つばめ旅行,かえで薬局,もみじ書店')}の担当者として返信してください。三文以内で、謝罪から始めてください。\n\n${one(v, '荷物が届きません。,請求額が違います。,予約を変更したいです。,ログインできません。,返品したいです。,音が出ません。')}`,
  (v) =>
    `你是${one(v, '和平医院,仁爱医院,同济诊所,康复中心,阳光口腔,安心药房,中山医院,长江诊所')}的导诊助手。病人${one(v, '赵敏,孙强,周丽,吴昊,郑爽,冯涛,陈晨,褚亮')},${v.int(18, 80)}岁。先询问症状,再推荐科室,不要给出诊断。`,
  (v) =>
    `Rewrite the paragraph for readers of ${one(v, 'grade 3,grade 5,grade 8,university')} level. Keep all facts and numbers.\n"""${remarks(v)}"""`,
  (v) =>
    `Wir schreiben das Jahr ${v.int(1500, 1900)}. Du bist ${one(v, 'ein Bäcker,eine Hebamme,ein Schmied,eine Händlerin,ein Fährmann,eine Lehrerin')} in ${place(v)} und beantwortest die Fragen der Schulklasse. Bleibe in deiner Rolle und verwende keine modernen Wörter.`,
]
