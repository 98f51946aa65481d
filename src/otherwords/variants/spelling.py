"""Whether letters could be an English word, so that a typing mistake never turns one word into another.

The table says which letters follow which two in the 20,000 most frequent English words (`^` opens a word, `$`
closes it). A string with a sequence that the table lacks is none of those words, and hardly any other.
"""

from __future__ import annotations

_FOLLOWERS = """
    ^a$abcdefghijklmnopqrstuvwxyz ^b$abcdefgijklmnoprstuy ^c$abcdefghijklmnoprstuvwyz
    ^d$abcdefhijklmnoprstuvwy ^e$abcdefghijlmnpqrstuvwxyz ^f$abcdefgilmnoprstuxy ^g$abcdefghilmoprstuwy
    ^h$abcdeikmopqrstuwyz ^i$abcdefgiklmnopqrstuvx ^j$abcdefijkoprstu ^k$abcdefghilmnorsuwy
    ^l$abcdefgilmnoprstuvy ^m$abcdefghijklmnoprstuvwxy ^n$abcdefghijklmoprstuvwxyz
    ^o$abcdefghiklmnoprstuvwxyz ^p$abcdefghiklmnoprstuvy ^q$abciu ^r$abcdefhijlmnoprstuvwxy
    ^s$abcdefghiklmnopqrstuwy ^t$abcdefhijlmnoprstuvwxy ^u$abcefghiklmnprstv ^v$acehiloprstuw
    ^w$abcehimoprstuwy ^x$abdilmpuvx ^y$aeioruv ^z$aehiou aa$acpr ab$abcdeilnorsuwy ac$abcdehiklmnoqrtuy
    ad$abcdefghijlmnopqrstuvwy ae$dlors af$acefgiloprsty ag$aeghilmnorsu ah$aehimoru ai$acdgijlmnprstvwz
    aj$aeo ak$abdefhilnorstuy al$abcdefgiklmnoprstuvwy am$abcdefilmnopstuwy an$abcdefghijklmnopqstuvwxyz
    ao$hklmrst ap$acehilmoprstuy aq$iu ar$abcdefgiklmnopqrstuvwxy as$abcdeghiklmnopstuy
    at$acefhiklmnoprstuvyz au$bcdefgiklmnrstx av$aegiosvy aw$abefghiklmnrswy ax$aeiloptwy
    ay$abcdefghilmnoprstw az$adeiouyz ba$bcdefghiklmnprstuxyz bb$aceiloqsy bc$ao bd$iosu be$acdefghilnrstvwy
    bf$ bg$ bh$o bi$abcdeghklnopqrstz bj$ep bk$ bl$aeimoruvy bm$aeiw bn$bo bo$abdeghiklmnoprstuvwxy bp$ao
    bq$ br$aeiouy bs$ceiotu bt$acefilqsw bu$bcdefgilmnqrstyz bvi bwae by$aeilnprstz ca$abcdefgiklmnprstuvy
    cb$acdeiors cc$aeilortu cd$cos ce$abcdefilmnoprstuxy cf$ cg$eiru ch$abcdeilmnorstuwy
    ci$abdefglmnoprstuvz cj$ ck$abcdeghilmnoprstuwy cl$aeiouy cm$ais cn$ein co$abcdefghiklmnoprstuvwxyz
    cp$irsu cqu cr$aeiouy cs$ost ct$aefilmnorsuv cu$abcdefilmnoprstuz cv$s cw$ cy$bclnpr cze
    da$bcdefghiklmnpqrstuvwyz db$aeiory dc$aho dd$aehilrsy de$abcdefghilmnopqrstuvwxz df$aioru dgaeimuy
    dh$adeio di$abcdefglmnoprstuvxyz dj$aeosu dk$a dl$aceioy dm$aeiou dn$aceit do$bcdegijlmnoprstuvwxyz
    dp$ahor dqu dr$aeiouy ds$acehiklmot dt$ehior du$abcdefghiklmnoprst dvadeio dwaeior dy$egiklns dzi
    ea$bcdfghklmnprstuvw eb$abceiloprstuy ec$acdehiklorstuy ed$abdefgilmnorstuwy ee$acdefiklmnprstvwz
    ef$aefilorstuy eg$aegilmnorsuy eh$aeiory ei$cdgjklmnprstvz ejaeou ek$adeilsy el$abcdefghiklmoprstuvy
    em$abeilmnopsuy en$abcdefghijklmnopqrstuvwyz eo$dfgilmnprstuvw ep$aehiloprstuy eq$u
    er$abcdefghijklmnopqrstuvwy es$abcdehiklmnopqstuy et$abcefhilnoprstuwy eu$degkmnprstv ev$aeiory
    ew$abcefhilmoprst ex$acehiopqtuy ey$abeilmnorstw ez$beiruv fa$abcdegiklmnoqrstuvxy fb$i fc$c fda
    fe$abcdegilmnrstuvw ff$aeilmorsuy fg$h fi$abcdefgjlnorstvx fk$ fl$aeiouy fm$a fn$ fo$acdegilnorsuwx fp$s
    fr$aeiouy fs$ehp ft$behiloswy fu$cdeglmnrstz fw$a fx$ fy$i ga$bcdegilmnoprstuvyz gb$ty gc$ gdop
    ge$abdeilmnorstv gf$iu gg$aeilorsy gh$abdeilnostwz gi$abcdefglmnorstuvz gko gl$aeiouy gm$aet gn$aeimostu
    go$abdegilmnoprstuvw gp$as gr$aeiouy gs$hilt gt$ahio gu$aceijlmnoprsty gw$aer gy$mp
    ha$bcdefghiklmnoprstuvwyz hb$aior hc$aor hd$amor he$abcdefhilmnopqrstvwxyz hfu hh$eho
    hi$abcdefgjklmnoprstuvz hk$ hl$aeioy hm$aeimos hn$aeinos ho$abcdefgiklmnoprstuvw hp$al hq$u hr$aeiosuy
    hs$cot ht$acefhilmnorstuwy hu$abcdefghlmnprst hvi hwaehiy hy$bdglmprstu hz$ ia$bcdghilmnoprstz
    ib$abeilmnorsuy ic$acehiklnorstuy id$adefgiklnostuwy ie$bcdefglmnrstuvw if$aefilostuy ig$aeghimnorsu
    ih$ao ii$ain ijaiu ik$ehikot il$abcdefghiklmorstuvwy im$abefimnopsu in$abcdefghijklmnopqrstuvwy
    io$acdegilmnprstuvwx ip$abehilmopstuz iq$u ir$abcdefgiklmnoprstuvwy is$abcdefghiklmnopqrstuvy
    it$acefhilmnorstuvyz iu$ms iv$aeioy iwai ix$aeiot iy$ iz$aeiouz ja$bcdeghikmnprsvwxyz jb$ jc$ jd$
    je$abcdeflnorstw jfk ji$hlmn jj$ jk$ jo$abceghijklnrsuy jp$ jr$ js$ jt$ ju$abdgilmnprsv ka$bdgilnprstuyz
    kb$aeou kc$h kd$aor ke$adefhilmnoprstuvwy kfacou kg$br kh$aeos ki$acdeilmnprstw kki klaeioy km$a knaeiou
    ko$bcfklnrstu kpailo kr$aeiou ks$ghotw ktaho ku$adlmnprw kw$ae ky$aelopr la$bcdfghikmnopqrstuvwxyz
    lb$aeiosuy lc$adhiou ld$abcefhilmnorsuw le$abcdefghijlmnoprstuvwxyz lf$aeilortuw lg$abeior lhaeio
    li$abcdefghjklmnopqrstuvxz lk$aeilnsy ll$abcdeimnoprsuwy lm$aefilmos ln$esu lo$abcdefgiklmnoprstuvwy
    lp$aefhilrst lr$eioy ls$aehiotu lt$adehiorsuyz lu$abcdefgijklmnorstx lv$adeio lwa ly$deilmnoprstwz
    ma$bcdefghijklmnoprstuvxyz mb$aeilorsu mc$abcdgklmq md$e me$abcdefghilmnoprstwxyz mf$aouy mg$m mh$oz
    mi$acdefgklmnorstuxz mj$ mk$ ml$abeisy mm$aeimouy mn$aeis mo$abcdeghijklmnoprstuvz mp$abehiklorstuy
    mr$ais ms$aemnotuy mt$hv mu$cdefghilmnrstz mv$p mw$eo mx$ my$aerst na$bcdfghiklmnoprstuvwyz nb$aceiou
    nc$aehilorstuy nd$abcdefghilmnoprstuwy ne$abcdefgilmnopqrstuvwxyz nfaceiloru ng$adefhiklnorstuw
    nh$aeilosu ni$abcdefghklmnopqrstuvxz nj$aeou nk$aefilnrsy nl$aeiouy nm$ae nn$aeiosuy
    no$abcdefgiklmnoprstuvwxy np$aloru nqu nr$aeiloy ns$acefghiklmoptuwy nt$adeghilmorsuy
    nu$acdefgiklmnoprstux nv$aeioy nw$aehio nx$it ny$abcdehilmoptw nz$aeioy oa$cdfhklmnpqrstx
    ob$abeijlnorstuvy oc$acdehiklorstu od$abcdefgiklmnorsuwyz oe$bcdfilmnrstvy of$acefiostuy og$aegilmnorsuy
    oh$aehinoy oi$acdlnrst oj$aeo ok$abeilosy ol$abcdefgiklmnopstuvy om$abcefgilmnoprswy
    on$abcdefgijklmnopqrstuvwxyz oo$bdefghklmnoprstvz op$acehiklmoprstuy oqu or$abcdefghiklmnopqrstuvwy
    os$abcehilmnopqstuwy ot$abceghiloprstuwy ou$bcdefgilnpqrstvx ov$aeiot ow$abcdehijlmnorsty ox$efivy
    oy$acdefilmos oz$aeoy pa$bcdgijklmnopqrstuvwxy pb$eorsu pc$ahos pd$af pe$abcdefgilnoprstuwxyz pf$ru
    pg$ar ph$adeiloprsy pi$acdegklmnoprstuvxz pk$i pl$aceiosuy pm$ae pn$eg po$cdegiklnoprstuvw pp$aehiloprsy
    pr$aeiou ps$aceghiotuwy pt$acehilosuy pu$abcdefklmnprstz pv$ pwa py$irt pzi qaet qb$ qc$ qi$ ql$
    qu$aeior ra$bcdefghijklmnopqrstuvwyz rb$aeilnosuy rc$aehilortuy rd$abceilmnoprsuwy
    re$abcdefghijklmnopqrstuvwxyz rf$aeiloru rg$aehiloruy rh$aeioy ri$abcdefghjklmnopqstuvxz rj$u
    rk$aefilnopswy rl$adefiosty rm$aefhilostuy rn$abeilmostwy ro$abcdefghijklmnopqrstuvwxyz rp$aeghilmorstu
    rqu rr$aehiouy rs$abcdehiopstuy rt$abcefghilmnoprsuwyz ru$abcdefghilmnprstvz rv$aeio rwaehio rx$i
    ry$abcdeilnopstw sa$abcdfghiklmnoprstuvwxy sb$aeiorsuy sc$aehilorsu sd$aeio se$abcdefghiklmnopqrstuvwxy
    sf$aeiouwy sg$eiortu sh$abeilmnortuvwy si$abcdefgklmnopqrstuvxz sk$aeirstuy sl$aeiouy sm$aehiosu
    snabeiopty so$abcdefhilmnoprstuvwxy sp$abehilnorsuy sq$lu sr$aeiou ss$aefhilmnopruwy
    st$abcdefghilmnoprsuwy su$abcdefgilmnprstvz svi sw$aeiou sy$cdklmnrs ta$bcdefghijklmnoprstuvwxy tb$aehor
    tc$ahlouy td$aos te$abcdefghilmnopqrstuvwx tf$eilou tgaeoru th$abcdefhilmnopqrstuwy
    ti$abcdefglmnopqrstuvz tj$ tki tl$aceioy tm$aeilou tn$aeitu to$abcdefgiklmnoprstuvwxy tp$ahlorsu tq$
    tr$aeiouy ts$abcdehikmoptuy tt$aehiloprsuy tu$abcdefgilmnprst tv$is tw$aeio tx$ ty$ailprs tz$eg
    ua$bdegiklnrstwy ub$abcdehijlmoprstuwy uc$acehiklorstuy ud$adegilorsuwy ue$bdeflnprstuz ufacflmou
    ug$abeghilmosu uh$ah ui$cdelnprstvz uja uk$eir ul$abdefghiklmnopstuy um$abeimnopsu
    un$abcdefghijklmnoprstuvw uo$imrtu up$abcdefghiloprstwy uqu ur$abcdefghiklmnopqrstuvy
    us$abcdehiklnopstuy ut$abcdefghilmnoprstuwy uum uv$ei uwa ux$eiu uy$eis uz$auz va$bcdegiklmnprstu vc$
    vd$s ve$acdghilmnrstwyz vg$ vhs vi$abcdegijklnoprstv vla vo$cdgiklmnortuwy vp$n vr$o vs$ vt$ vu$l vvy
    vw$ vy$w wa$bcdfghiklmnprstuvxy wb$eo wc$ao wd$efos we$abdegilmnprstvy wfou wg$ wh$aeioy
    wi$cdefgiklmnprstvz wjo wk$isw wl$aeisy wm$ae wn$efhilrstw wo$aeklmnoruvw wp$o wr$aeioy ws$ehiloptu
    wt$fhio wu$n ww$eiw wy$aeo xa$bcgmnstv xbo xcaehilu xd$ xe$cdlmrst xfo xhai xi$abcdeilmnostv xl$e xml
    xodnt xp$aeiloru xqu xt$abehiorsuy xu$ars xv$i xwe xx$x xy$g ya$bcghlmnrty ybaeor yc$aehlo yd$aeinr
    ye$abdehlmnprstw yfru ygeiru yheo yi$ekn yke yl$aeilouv ym$abeimnop yn$acdeinot yo$fgmnorstu ypadehiorst
    yr$aeinostu ys$efhilopst ytehio yu$agmnpr yvo ywaehor yzaei za$abcklmnrst zbo zda ze$abcdlnprstu zfe zge
    zhao zi$eglmnops zleiy zo$demnopr zra zuekr zvo zy$m zz$aefily
"""
_SEEN = frozenset(row[:2] + last for row in _FOLLOWERS.split() for last in row[2:])


def strange_sequences(word: str) -> set[str]:
    """The sequences of three letters in `word` that no common English word has."""
    padded = f"^{word}$"
    return {padded[place : place + 3] for place in range(len(padded) - 2)} - _SEEN
