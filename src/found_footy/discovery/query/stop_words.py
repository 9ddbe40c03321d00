"""Stop words: words that any post may have. A search ignores case, so an alias or a name of stop words alone matches
all.

They are function words of the most frequent languages of posts, words written about every match, and abbreviations
with a more common meaning.
"""

from found_footy.domain.ids import fold_to_ascii

_ENGLISH = """
a about after again all also am an and any are as at away back be because been before being best big but by can cant
com could day did do does done dont down even ever every far few first for from full get gets go goes going good got
great had half has have he hello her here hers hey hi him his home how i if im in into is it its just last late left
less let lets like lol long look lot made make man many may me men mine more most much must my near need never new
next nice no nor not now of off oh ok okay old on once one only or other our ours out over own past per please put
right said same say says see seen she should since so some such take than thank thanks that the their them then there
these they this those through till time to today together tonight too top two under until up us use very via wait want
was way we week well went were what when where which while who why will win wins with without won wow yes yet you your
yours
"""
_SPANISH = """
a al algo ante antes asi aun aunque bajo bien cada casi como con contra cual cuando da de del desde dia donde dos el
ella ellas ellos en entre era es esa ese eso esta estan este esto fin fue fueron gran ha hace hacia han hasta hay hoy
la las le les lo los mas me mi mis mismo mucho muy nada ni no nos nosotros nuestro o os otra otro para pero poco por
porque primer pues que quien se sea ser si sido sin sobre solo soy su sus tan te tener tiene tienen toda todo todos
tras tu tus un una uno unos va vamos van ven ver vez vida y ya yo
"""
_PORTUGUESE = """
a ai ao aos as ate boa bom cada com como da das de dela dele depois do dos e ela ele eles em entre era essa esse esta
este eu faz foi ha hoje ia isso ja la lhe mais mas me meu minha muito na nao nas nem no nos nossa nosso num o onde os
ou para pela pelo por porque pra quando que quem se sem sempre ser seu so sobre sua tambem te tem ter teu tudo um uma
vai vale ver voce
"""
_FRENCH = """
a ai alors apres as au aussi autre aux avant avec bien bon ca car ce ceci cela ces cet cette chez ci comme dans de des
deux donc du elle elles en encore est et etait ete etre eu fait fin font ici il ils je jour la le les leur lui ma mais
me meme mes moi moins mon ne ni non nos notre nous on ont or ou par pas peu plus pour quand que quel qui quoi rien sa
sans se ses si sont sous suis sur ta te tes toi ton tous tout tres trop tu un une va vers vie voici voila vos votre
vous vu y
"""
_GERMAN = """
ab aber ach alle als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den denn der des
dich die dies dir doch dort du durch ein eine einem einen einer er es etwas euch fur gab gar gegen gut hab habe haben
hat hatte hier hin ich ihm ihn ihr im immer in ins ist ja jetzt kann kein keine man mehr mein mich mit muss nach nein
nicht nie noch nun nur ob oder ohne schon sehr sein seit sich sie sind so sonst tag um und uns unser unter viel vom
von vor war was weg weil wenn wer wie wieder will wir wird wo wurde zu zum zur
"""
_ITALIAN = """
a abbiamo ad ai al alla alle allo anche ancora bene che chi ci come con cosi cui da dal dalla dei del della delle
dello deve di dopo dove e ed era essere fa fare fino fra gia gli grande ha hai hanno ho i il in io la le lei li lo
loro lui ma mai me mi mia mio molto ne nel nella no noi non nostro o oggi ogni ora per perche piu poi prima qua quale
quando questa questo qui sa se sei sempre senza si sia sono sopra sta stato su sua subito sul suo te ti tra tu tua tuo
tutti tutto un una uno va vi via voi
"""
_FOOTBALL_WORDS = """
away ball boys calcio cf clip club coach copa coppa coupe cup derby division equipe equipo fan fans fc final foot
football footy fussball futbol futebol game girls goal goals gol golazo gols highlights jeu jogo kick league liga
ligue live match men news official partido partita pen penalty player pokal premier sc score scored serie soccer spiel
sport sports squadra team teams time tor v var video vs women world
"""
_ABBREVIATIONS = """
ac ad afk ai app arm asap bar bbc ben bot bra btw cab cam cap car cat cc cd ceo cod ct cub dj dm dom dr en eu ex faq
fb ff fifa fm fr fyi gen geo gg go gp gum guy ham hd hon hq hr ht id ig imo ios ip irl it jam jp js kb ken kg km la lb
lie lmao ltd ma mad mar mb mc mm mr mrs ms mvp na nba nfl nob ny oma omg op os pan pc pd phi pls pm pov pr ps pt qa
rip rt sa sal sam sas sep sms sol sos sp ss st svp tan tba tbh tbt tf tiktok til ts tv uefa uk un us usd ux va van vin
vip vol vpn vr wc wtf www yo
"""

STOP_WORDS = frozenset(
    fold_to_ascii(
        " ".join((_ENGLISH, _SPANISH, _PORTUGUESE, _FRENCH, _GERMAN, _ITALIAN, _FOOTBALL_WORDS, _ABBREVIATIONS))
    ).split()
)


def is_stop_word(word: str) -> bool:
    return fold_to_ascii(word).lower().strip(".'") in STOP_WORDS
