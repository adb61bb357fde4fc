"""What customers call the studio's genres, and which genre is nearest to another kind of music. Data only.

Names are in lower case, without blanks and hyphens.
"""

from collections.abc import Mapping

_CALLED = {
    "pop": "팝 팝송 케이팝 kpop 댄스팝 dancepop happy 시티팝 citypop 아이돌 가요 indiepop 인디팝",
    "ballad": "발라드 발라드풍 piano 피아노",
    "edm": (
        "일렉트로닉 일렉트로니카 electronic electronica 이디엠 house 하우스 dance 댄스 댄스뮤직 techno 테크노 "
        "trance 트랜스 전자음악 클럽 클럽음악"
    ),
    "rock": (
        "록 락 록음악 락음악 밴드 록밴드 락밴드 로큰롤 rocknroll 락앤롤 punk 펑크록 펑크락 인디록 인디락 "
        "indierock"
    ),
    "ambient": "앰비언트 엠비언트 chill 칠아웃 chillout lofi 로파이 로우파이 calm 명상 뉴에이지 newage",
    "trot": "트로트 트롯 트롯트 뽕짝 성인가요 teuroteu ppongjjak 네오트로트 세미트로트",
    "jazz": "재즈 째즈 swing 스윙 bebop 비밥 bigband 빅밴드 blues 블루스 jazzy",
    "hiphop": (
        "힙합 랩 rap 래퍼 랩음악 boombap 붐뱁 붐뱁힙합 trap 트랩 lofihiphop 로파이힙합 로우파이힙합 jazzhiphop "
        "재즈힙합"
    ),
    "bossa": "보사노바 보사 bossanova samba 삼바",
    "acoustic": (
        "어쿠스틱 통기타 포크 folk 포크송 어쿠스틱기타 acousticguitar unplugged 언플러그드 singersongwriter "
        "싱어송라이터"
    ),
}
CALLED_IN_PUBLIC: Mapping[str, str] = {"hiphop": "hip hop", "bossa": "bossa nova"}
"""What a genre is called in sentences, where that is not its name."""
ALSO_CALLED: Mapping[str, str] = {
    name: genre for genre, names in _CALLED.items() for name in names.split()
}
_FAMILIES = {
    "pop": (
        "rb rnb rhythmandblues 알앤비 soul 소울 funk 펑크 funky disco 디스코 synthpop 신스팝 newjackswing "
        "jpop 제이팝 musical 뮤지컬 동요 children cm cmsong jingle 로고송 motown 모타운"
    ),
    "ballad": (
        "classical classic 클래식 orchestra 오케스트라 orchestral opera 오페라 가곡 성악 gospel 가스펠 ccm 찬송가 "
        "hymn 복음성가 choir 합창 waltz 왈츠 ost cinematic 영화음악 strings chanson 샹송"
    ),
    "edm": (
        "reggaeton 레게톤 dubstep 덥스텝 drumandbass drumnbass dnb eurodance 유로댄스 eurobeat hyperpop garage "
        "hardstyle 하드스타일 phonk 퐁크 afrobeat afrobeats 아프로비트 moombahton 뭄바톤 "
        "vaporwave synthwave 신스웨이브"
    ),
    "rock": (
        "metal 메탈 heavymetal 헤비메탈 grunge 그런지 hardcore 하드코어 emo 이모 ska 스카 alternative 얼터너티브 "
        "screamo punkrock rockabilly 로커빌리"
    ),
    "ambient": "meditation sleep asmr 자장가 lullaby healing 힐링 drone soundscape",
    "trot": (
        "enka 엔카 polka 폴카 국악 gugak 민요 minyo 판소리 pansori 각설이 schlager chacha 차차차 march 행진곡 "
        "tango 탱고"
    ),
    "jazz": "fusion 퓨전 ragtime 래그타임 dixieland 딕시랜드 lounge 라운지 cabaret crooner doowop 두왑",
    "hiphop": "drill 드릴 grime 그라임 triphop 트립합 beatbox 비트박스 crunk",
    "bossa": (
        "latin 라틴 라틴음악 salsa 살사 mambo 맘보 rumba 룸바 calypso 칼립소 reggae 레게 bolero 볼레로 bachata"
    ),
    "acoustic": (
        "country 컨트리 컨츄리 bluegrass 블루그래스 celtic 켈트 irish ukulele 우쿨렐레 campfire flamenco 플라멩코"
    ),
}
FAMILIES: Mapping[str, str] = {
    name: genre for genre, names in _FAMILIES.items() for name in names.split()
}
"""Kinds of music that the studio does not play, with the genre that is nearest to each."""
